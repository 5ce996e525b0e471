import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from "aws-lambda";
import { kebabCase, type RouteName } from "../contract/routes.ts";
import { bundleFolderOf } from "../infra/bundle.ts";

type Handler = (event: APIGatewayProxyEventV2, context: Context) => Promise<APIGatewayProxyStructuredResultV2>;

const loaded = new Map<RouteName, Promise<Handler>>();

/** Runs a route's bundled function in this process as Lambda would, loading it at its first request. */
export async function invokeFunction(
  name: RouteName,
  event: APIGatewayProxyEventV2,
): Promise<APIGatewayProxyStructuredResultV2> {
  const load = loaded.get(name) ?? loadHandler(name);
  loaded.set(name, load);
  const handler = await load;
  return await handler(event, functionContext(kebabCase(name), event.requestContext.requestId));
}

async function loadHandler(name: RouteName): Promise<Handler> {
  const bundle = join(bundleFolderOf(kebabCase(name)), "index.mjs");
  const { handler } = await import(pathToFileURL(bundle).href);
  return handler;
}

/** Runs what is deployed on a schedule, by the name of its bundle. */
export async function invokeSchedule(name: string): Promise<void> {
  const { handler } = await import(pathToFileURL(join(bundleFolderOf(name), "index.mjs")).href);
  await handler({}, functionContext(name, randomUUID()));
}

const timeoutMilliseconds = 30_000;

function functionContext(name: string, requestId: string): Context {
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
