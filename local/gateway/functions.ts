import { randomUUID } from "node:crypto";
import type {
  APIGatewayProxyEventV2,
  APIGatewayProxyStructuredResultV2,
  Context,
  SQSBatchResponse,
  SQSRecord,
} from "aws-lambda";
import { kebabCase, type RouteName } from "../../contract/api/routes.ts";
import { loadFunction } from "./loaded-functions.ts";

/** Time that API Gateway waits: https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html */
export const functionTimeoutMilliseconds = 30_000;
/** The longest time-out of a function on a schedule. */
const scheduleTimeoutMilliseconds = 14 * 60_000;

/**
 * Runs a route's bundled function in this process like Lambda does.
 *
 * @returns undefined if it has not responded in time; it still runs then
 */
export async function invokeFunction(
  name: RouteName,
  event: APIGatewayProxyEventV2,
  timeoutMilliseconds: number,
): Promise<APIGatewayProxyStructuredResultV2 | undefined> {
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => late.resolve(undefined), timeoutMilliseconds);
  try {
    const handler = await Promise.race([loadFunction(kebabCase(name)), late.promise]);
    const context = functionContext(kebabCase(name), event.requestContext.requestId, timeoutMilliseconds);
    return await Promise.race([handler?.(event, context), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Runs a function that is deployed on a schedule, by the name of its bundle. */
export async function invokeSchedule(name: string): Promise<void> {
  await invoke(name, {});
}

/** Runs a function that takes messages of a queue. */
export async function invokeJob(
  name: string,
  event: { readonly Records: readonly Pick<SQSRecord, "messageId" | "body">[] },
): Promise<SQSBatchResponse> {
  return (await invoke(name, event)) as SQSBatchResponse;
}

async function invoke(name: string, event: object): Promise<unknown> {
  const handler = await loadFunction(name);
  return await handler(event, functionContext(name, randomUUID(), scheduleTimeoutMilliseconds));
}

function functionContext(name: string, requestId: string, timeoutMilliseconds: number): Context {
  const deadline = Date.now() + timeoutMilliseconds;
  return {
    awsRequestId: requestId,
    callbackWaitsForEmptyEventLoop: false,
    functionName: name,
    functionVersion: "$LATEST",
    invokedFunctionArn: `arn:aws:lambda:local:000000000000:function:${name}`,
    memoryLimitInMB: "512",
    logGroupName: "local",
    logStreamName: "local",
    getRemainingTimeInMillis: () => deadline - Date.now(),
    done: () => undefined,
    fail: () => undefined,
    succeed: () => undefined,
  };
}
