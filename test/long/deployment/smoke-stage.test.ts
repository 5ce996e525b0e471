import "../../../programs/stack-options.ts";
import { request } from "node:http";
import { text } from "node:stream/consumers";
import { S3Client } from "@aws-sdk/client-s3";
import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import { type DeployedStage, findStage } from "../../../infra/deployment/deployed-stage.ts";
import { smokeStage } from "../../../infra/smoke/smoke-stage.ts";
import { stages } from "../../../infra/stages.ts";
import { startHttpServer } from "../../support/network/http-server.ts";
import { runProgram } from "../../support/program.ts";
import { actorsOf } from "../../support/service/actors.ts";
import { useServers, useService } from "../../support/service/suite.ts";

/* The checks of a disposable stage, against the local service, its page, and an AWS that is served here. */

const service = useService({});
const start = useServers();

/** Output of each command in a healthy account, by its second word. */
const healthy: Readonly<Record<string, unknown>> = {
  invoke: { StatusCode: 200 },
  "get-metric-statistics": { Datapoints: [{ Sum: 4 }] },
  "describe-alarms": { MetricAlarms: [{ StateValue: "OK", AlarmActions: ["arn:aws:sns:alarms"] }] },
  "list-attached-role-policies": { AttachedPolicies: [{ PolicyName: "svc-execution" }] },
  "list-subscriptions-by-topic": { Subscriptions: [{ SubscriptionArn: "arn:aws:sns:1", Endpoint: "ops@example.com" }] },
  "set-alarm-state": {},
  "describe-alarm-history": { AlarmHistoryItems: [{ HistorySummary: "Successfully executed action arn:aws:sns:…" }] },
  "describe-stacks": { Stacks: [{ Outputs: [{ OutputKey: "ApiAddress", OutputValue: "https://api.test/" }] }] },
  "list-stack-resources": {
    StackResourceSummaries: [
      { LogicalResourceId: "FilesAccessLogC5F1D1B2", PhysicalResourceId: "log" },
      { LogicalResourceId: "Files8E6940B8", PhysicalResourceId: "files" },
    ],
  },
};

const awsOf = (responses: Readonly<Record<string, unknown>>) => async (_: string, command?: string) =>
  responses[command ?? ""];

let lines: string[];
beforeEach(() => {
  lines = [];
  jest.spyOn(console, "log").mockImplementation((line) => lines.push(...String(line).split("\n")));
});
afterEach(() => {
  jest.restoreAllMocks();
});

/** A bucket whose policy is the stage's, or that has none. A DELETE is old if one that was signed later has come. */
async function bucketEndpoint({ hasPolicy }: { hasPolicy: boolean }): Promise<string> {
  let latestDelete = "";
  const server = startHttpServer(({ method, url = "", headers }, response) => {
    const signedAt = new URL(url, "http://s3.test").searchParams.get("X-Amz-Date") ?? "";
    const isDenied = method === "PUT" ? headers["if-none-match"] === undefined : signedAt < latestDelete;
    if (method === "DELETE" && !isDenied) latestDelete = signedAt;
    response.writeHead(hasPolicy && isDenied ? 403 : method === "PUT" ? 200 : 204).end();
  });
  return (await start(server)).endpoint;
}

/** The local service's page, at a host name that Node can resolve. */
async function dashboardEndpoint(): Promise<string> {
  const { host } = new URL(service.dashboard);
  const { port } = new URL(service.api);
  const server = startHttpServer(({ url: path = "" }, response) => {
    request({ port, path, headers: { host } }, (received) => {
      response.writeHead(received.statusCode ?? 0, received.headers);
      received.pipe(response);
    }).end();
  });
  return (await start(server)).endpoint;
}

async function stageWith(changes: Partial<DeployedStage> & { hasPolicy?: boolean } = {}): Promise<DeployedStage> {
  const { hasPolicy = true, ...others } = changes;
  const flooded = startHttpServer(async (asked, response) => {
    const { method = "", url = "", headers } = asked;
    if (url === "/health") return void response.writeHead(429).end();
    const body = await text(asked);
    const { authorization = "", "content-type": type = "application/json" } = headers;
    const sent = body === "" ? {} : { body };
    const received = await fetch(service.api + url, {
      method,
      headers: { authorization, ...(body !== "" && { "content-type": type }) },
      ...sent,
    });
    response.writeHead(received.status, { "content-type": "application/json" }).end(await received.bytes());
  });
  return {
    name: "trial",
    account: "111122223333",
    regions: ["eu-central-1", "us-east-1"],
    schedules: ["deliver-notices", "sweep", "write-pointers"],
    api: (await start(flooded)).endpoint,
    bucket: "files",
    dashboard: await dashboardEndpoint(),
    idToken: (await actorsOf(service).stranger()).credential,
    aws: awsOf(healthy),
    s3: new S3Client({
      region: "us-east-1",
      endpoint: await bucketEndpoint({ hasPolicy }),
      forcePathStyle: true,
      credentials: { accessKeyId: "id", secretAccessKey: "secret" },
    }),
    output: () => undefined,
    // Times of signatures are in seconds.
    waitMilliseconds: 1_100,
    ...others,
  };
}

test("a healthy stage passes every check", async () => {
  const holds = await smokeStage(await stageWith());
  expect({ holds, failed: lines.filter((line) => line.includes("FAILED")) }).toEqual({ holds: true, failed: [] });
  expect(lines).toHaveLength(14);
});

test.each<[string, object, string]>([
  ["an ID token that is not the provider's", { idToken: "eyJ" }, "signs in: POST /auth/session responded with 401"],
  [
    "a function that fails",
    { invoke: { FunctionError: "Unhandled" } },
    "svc-trial-deliver-notices failed with Unhandled",
  ],
  ["a disabled rule", { "get-metric-statistics": { Datapoints: [] } }, "svc-trial-deliver-notices has not run within"],
  [
    "a role that may do anything",
    { "list-attached-role-policies": { AttachedPolicies: [{ PolicyName: "AdministratorAccess" }] } },
    "cdk-hnb659fds-cfn-exec-role-111122223333-eu-central-1 has AdministratorAccess",
  ],
  [
    "a role without a policy",
    { "list-attached-role-policies": {} },
    "cdk-hnb659fds-cfn-exec-role-111122223333-eu-central-1 has no policy",
  ],
  [
    "a subscription that nobody confirmed",
    {
      "list-subscriptions-by-topic": {
        Subscriptions: [{ SubscriptionArn: "PendingConfirmation", Endpoint: "ops@example.com" }],
      },
    },
    "ops@example.com has not confirmed its subscription",
  ],
  ["a topic without a subscription", { "list-subscriptions-by-topic": {} }, "arn:aws:sns:alarms has no subscription"],
  ["an alarm", { "describe-alarms": { MetricAlarms: [{ StateValue: "ALARM" }] } }, "the alarm NoticesFailing is on"],
  ["a topic that nothing reaches", { "describe-alarm-history": {} }, "has recorded no message to the topic"],
  ["a bucket without the policy", { hasPolicy: false }, "responded with 200 to a write without If-None-Match"],
  ["a bucket that takes an old DELETE", { hasPolicy: false }, "responded with 204 to a DELETE that was signed over a"],
  ["no dashboard at its host name", { dashboard: "http://127.0.0.1:9" }, "with their headers: fetch failed"],
])("%s fails its check alone, with what to do", async (_, changes, sentence) => {
  const responses = Object.fromEntries(Object.entries(changes).filter(([name]) => name in healthy));
  const others = Object.fromEntries(Object.entries(changes).filter(([name]) => !(name in healthy)));
  const holds = await smokeStage(await stageWith({ ...others, aws: awsOf({ ...healthy, ...responses }) }));
  const failed = lines.findIndex((line) => line.includes("FAILED") && line.includes(sentence));
  expect({ holds, lines, found: failed >= 0 }).toEqual({ holds: false, lines, found: true });
  expect(lines[failed + 1]).toMatch(/^ {10}\S.*[.?]$/);
  expect(lines.filter((line) => line.startsWith("  ok ")).length).toBeGreaterThanOrEqual(8);
});

test.each([
  ["write-pointers", { Datapoints: [] }, "svc-trial-write-pointers has not run within the hour"],
  ["us-east-1", {}, "cdk-hnb659fds-cfn-exec-role-111122223333-us-east-1 has no policy"],
])("of the schedules and regions each is checked, %s too", async (word, response, sentence) => {
  const aws = async (...args: readonly string[]) =>
    args.some((arg) => arg.endsWith(word)) ? response : healthy[args[1] ?? ""];
  await smokeStage(await stageWith({ aws }));
  expect(lines.filter((line) => line.includes("FAILED"))).toEqual([expect.stringContaining(sentence)]);
});

test("a stage without a throttle fails", async () => {
  await smokeStage(await stageWith({ api: service.api }));
  expect(lines.join("\n")).toContain("400 requests at once got 200");
});

test("the stage is found by its stack, and only a disposable one", async () => {
  const known = { trial: { ...stages["staging"], disposable: true }, staging: stages["staging"] };
  const options = { known, command: () => awsOf(healthy) };
  expect(await findStage("trial", { ID_TOKEN: "eyJ" }, options)).toMatchObject({
    name: "trial",
    api: "https://api.test",
    bucket: "files",
    dashboard: "https://dashboard.staging.example.com",
    schedules: expect.arrayContaining(["deliver-notices", "sweep"]),
    regions: expect.arrayContaining(["us-east-1"]),
  });
  expect(await findStage("staging", { ID_TOKEN: "eyJ" }, options)).toContain("is not disposable");
  expect(await findStage("trial", {}, options)).toContain("into ID_TOKEN");
  const command = () => awsOf({ ...healthy, "describe-stacks": { Stacks: [{}] } });
  expect(await findStage("trial", { ID_TOKEN: "eyJ" }, { known, command })).toContain("has no output ApiAddress");
});

test.each([
  [["--stage", "none"], 'infra/stages.ts has no stage "none"'],
  [["--stage", "staging"], "The stage staging is not disposable"],
])("%j is wrong usage", async (args, sentence) => {
  const { code, stdout, stderr } = await runProgram("programs/smoke.ts", args, {});
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain(sentence);
});
