import { spawn } from "node:child_process";
import type { RequestListener } from "node:http";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { beforeEach, expect, test } from "@jest/globals";
import { dummyCredentials } from "../../../local/credentials.ts";
import { startHttpServer } from "../../support/network/http-server.ts";
import { duringTests } from "../../support/service/suite.ts";

/*
 * In a process of its own: in Jest's, an error of Node is no instance of the SDK's `Error`, so the SDK does not know it.
 */
const program = `
  import { QueryCommand } from "@aws-sdk/lib-dynamodb";
  import { send } from "${fileURLToPath(new URL("../../../functions/table/client.ts", import.meta.url))}";
  const query = () => send(new QueryCommand({ TableName: "table", KeyConditionExpression: "PK = :a" }));
  await Promise.all(Array.from({ length: Number(process.argv[1]) }, query));
  const startedAt = performance.now();
  const error = await query().then(() => undefined, ({ name }) => name);
  console.log(JSON.stringify({ error, milliseconds: performance.now() - startedAt }));
  process.exit();
`;

const succeed: RequestListener = (_, response) => response.end("{}");
let respond: RequestListener;
let requests: number;
const engine = duringTests(() =>
  startHttpServer((request, response) => {
    requests += 1;
    respond(request, response);
  }),
);

beforeEach(() => {
  requests = 0;
});

/** Sends this many commands at once, and then the one that the test checks. */
async function run(before: number): Promise<{ error?: string; milliseconds: number }> {
  const child = spawn(process.execPath, ["--input-type=module", "-e", program, String(before)], {
    stdio: ["ignore", "pipe", "inherit"],
    env: {
      ...process.env,
      DYNAMODB_ENDPOINT: engine.endpoint,
      AWS_REGION: "eu-central-1",
      AWS_ACCESS_KEY_ID: dummyCredentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: dummyCredentials.secretAccessKey,
    },
  });
  return JSON.parse(await text(child.stdout));
}

test("dead open connections do not use up the attempts", async () => {
  const kept = new Set<unknown>();
  respond = (request, response) => {
    if (requests <= 4) kept.add(request.socket);
    if (requests > 4 && kept.has(request.socket)) request.socket.destroy();
    else response.end("{}");
  };
  expect((await run(4)).error).toBeUndefined();
  expect(kept.size).toBe(4);
  expect(requests).toBe(4 + 3);
});

test("an attempt is aborted after 3 s", async () => {
  respond = (request, response) => (requests === 1 ? undefined : succeed(request, response));
  const { error, milliseconds } = await run(0);
  expect(error).toBeUndefined();
  expect(milliseconds).toBeGreaterThan(2_900);
  expect(milliseconds).toBeLessThan(6_000);
});

test("a request that DynamoDB fails is tried four times", async () => {
  respond = (_, response) => response.writeHead(500).end("{}");
  expect(await run(0)).toMatchObject({ error: "StorageUnavailableError" });
  expect(requests).toBe(4);
});

/** Responds with 400 and this error. */
function refuse(error: string): RequestListener {
  const refusal = JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${error}` });
  return (_, response) => response.writeHead(400).end(refusal);
}

test.each([
  "ProvisionedThroughputExceededException",
  "RequestLimitExceeded",
  "ThrottlingException",
  "TransactionInProgressException",
])("a request that DynamoDB refuses for now, with %s, is tried four times", async (error) => {
  respond = refuse(error);
  expect(await run(0)).toMatchObject({ error: "StorageUnavailableError" });
  expect(requests).toBe(4);
});

test("a request that DynamoDB refuses is tried once", async () => {
  respond = refuse("ValidationException");
  expect(await run(0)).toMatchObject({ error: "ValidationException" });
  expect(requests).toBe(1);
});
