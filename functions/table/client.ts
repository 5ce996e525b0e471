import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { environment } from "../environment.ts";
import { StorageUnavailableError } from "../storage-unavailable-error.ts";
import { defaultProvider } from "./environment-credentials.ts";

/**
 * A function has no ~/.aws. The SDK looks for it at the first request for every one of these settings that is not given
 * (AWS SDKs and Tools Reference Guide, "Precedence of settings"): they are given, with the SDK's own defaults.
 */
const withoutConfigurationFiles = {
  accountIdEndpointMode: "preferred",
  authSchemePreference: [] as string[],
  disableClockSkewCorrection: false,
  ignoreConfiguredEndpointUrls: true,
  retryMode: "standard",
  useDualstackEndpoint: false,
  useFipsEndpoint: false,
  userAgentAppId: "",
} as const;

let client: DynamoDBDocumentClient | undefined;

/** The document client that a warm function keeps. */
function documentClient(): DynamoDBDocumentClient {
  client ??= DynamoDBDocumentClient.from(
    new DynamoDBClient({
      ...(environment.dynamodbEndpoint && { endpoint: environment.dynamodbEndpoint }),
      credentials: defaultProvider(),
      ...withoutConfigurationFiles,
      maxAttempts: 4,
      requestHandler: { connectionTimeout: 1_000, requestTimeout: 3_000, throwOnRequestTimeout: true },
    }),
    { marshallOptions: { removeUndefinedValues: true } },
  );
  return client;
}

type Send = DynamoDBDocumentClient["send"];

/**
 * Sends one DynamoDB command. The SDK retries throttling and network errors by itself.
 *
 * @throws StorageUnavailableError where DynamoDB throttles, fails or cannot be reached
 */
export const send: Send = (async (command: Parameters<Send>[0]) => {
  try {
    return await documentClient().send(command);
  } catch (error) {
    throw isTransient(error) ? new StorageUnavailableError(error) : error;
  }
}) as Send;

const transientNames = new Set([
  "InternalServerError",
  "LimitExceededException",
  "ProvisionedThroughputExceededException",
  "RequestLimitExceeded",
  "ServiceUnavailable",
  "ThrottlingException",
  "TimeoutError",
  "TransactionInProgressException",
]);

function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { $fault, $metadata } = error as { $fault?: string; $metadata?: { httpStatusCode?: number } };
  const hasNoResponse = $metadata?.httpStatusCode === undefined && ("code" in error || "$retryable" in error);
  return transientNames.has(error.name) || $fault === "server" || hasNoResponse;
}
