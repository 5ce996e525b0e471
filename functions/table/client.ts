import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import * as environment from "../environment.ts";
import { retry } from "../retry.ts";
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
  client ??= DynamoDBDocumentClient.from(tableClient(), { marshallOptions: { removeUndefinedValues: true } });
  return client;
}

function tableClient(): DynamoDBClient {
  const created = new DynamoDBClient({
    ...environment.dynamodbEndpoint(),
    region: environment.stageRegion() ?? "",
    credentials: defaultProvider(),
    ...withoutConfigurationFiles,
    maxAttempts: 2,
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 3_000, throwOnRequestTimeout: true },
  });
  // It copies each request and response, for a logger that does not exist: an eighth of a read of three items.
  created.middlewareStack.remove("loggerMiddleware");
  return created;
}

type Send = DynamoDBDocumentClient["send"];

/**
 * Sends one DynamoDB command, at most four times: two attempts of the SDK, and two more after a pause. The kept connections
 * of a function that was frozen may all be dead, so if there was no response the last two attempts make new ones.
 *
 * @throws StorageUnavailableError if DynamoDB throttles, fails or cannot be reached
 */
export const send: Send = ((command: Parameters<Send>[0]) =>
  retry({ maximumAttempts: 2, firstPauseMilliseconds: 50, isTransient }, async () => {
    const used = documentClient();
    try {
      return await used.send(command);
    } catch (error) {
      if (client === used && isWithoutResponse(error)) {
        used.destroy();
        client = undefined;
      }
      throw error;
    }
  })) as Send;

/** The SDK marks every error with a status from 500 on as the server's. */
const transientNames = new Set([
  "ProvisionedThroughputExceededException",
  "RequestLimitExceeded",
  "ThrottlingException",
  "TimeoutError",
  "TransactionInProgressException",
]);

function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { $fault } = error as { $fault?: string };
  return transientNames.has(error.name) || $fault === "server" || isWithoutResponse(error);
}

function isWithoutResponse(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { $metadata } = error as { $metadata?: { httpStatusCode?: number } };
  return $metadata?.httpStatusCode === undefined && ("code" in error || "$retryable" in error);
}
