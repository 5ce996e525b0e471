import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { DeleteObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import type { Json } from "../deployment/aws-command.ts";
import type { DeployedStage } from "../deployment/deployed-stage.ts";
import { monitoringPrefix } from "../monitoring/monitoring-names.ts";
import { optionChecks } from "../option.ts";
import { smokeProject } from "./smoke-games.ts";
import { runFunction, type StageCheck } from "./stage-check.ts";

/*
 * `npm run smoke -- --stage NAME`: what only AWS shows, on a stage that is `disposable`, because it creates an account and a
 * token, writes to the bucket and sends a message to `alarmEmail`. It uses the AWS command line, as docs/operations do, with
 * your credentials for the stage's account. docs/operations/first-hour.md has what is left to look at.
 */

const requestTimeout = () => AbortSignal.timeout(15_000);

async function call({ api, idToken }: DeployedStage, path: string, body?: object, credential = idToken) {
  const response = await fetch(api + path, {
    method: body ? "POST" : "GET",
    headers: { authorization: `Bearer ${credential}`, ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
    signal: requestTimeout(),
  });
  return { status: response.status, body: (await response.json()) as Json };
}

async function signIn(stage: DeployedStage): Promise<string | undefined> {
  const { status, body } = await call(stage, "/auth/session", { role: "dev" });
  return status < 300 ? undefined : `POST /auth/session responded with ${status} ${body.code}`;
}

async function createToken(stage: DeployedStage): Promise<string | undefined> {
  const request = { name: `smoke ${new Date().toISOString()}`, scopes: ["publish"], expires_in_days: 1 };
  const { status, body } = await call(stage, "/tokens", request);
  if (status !== 201) return `POST /tokens responded with ${status} ${body.code}`;
  const me = await call(stage, "/me", undefined, body.token);
  return me.body.auth?.kind === "token" ? undefined : `GET /me with it responded with ${me.status} ${me.body.code}`;
}

/** The rules of all schedules are enabled, and have started their functions within the hour. */
async function schedulesRun({ name, aws, schedules }: DeployedStage): Promise<string | undefined> {
  for (const job of schedules) {
    const { Datapoints = [] } = await aws(
      ...["cloudwatch", "get-metric-statistics", "--namespace", "AWS/Lambda", "--metric-name", "Invocations"],
      ...["--dimensions", `Name=FunctionName,Value=svc-${name}-${job}`, "--statistics", "Sum", "--period", "3600"],
      ...["--start-time", new Date(Date.now() - 3_600_000).toISOString(), "--end-time", new Date().toISOString()],
    );
    if (Datapoints.length === 0) return `svc-${name}-${job} has not run within the hour`;
  }
  return undefined;
}

async function putPlain({ s3, bucket }: DeployedStage): Promise<string | undefined> {
  const Key = `projects/${smokeProject}/files/${randomUUID()}`;
  const url = await getSignedUrl(s3, new PutObjectCommand({ Bucket: bucket, Key }), { expiresIn: 60 });
  const { status } = await fetch(url, { method: "PUT", body: "smoke", signal: requestTimeout() });
  return status === 403 ? undefined : `the bucket responded with ${status} to a write without If-None-Match`;
}

async function deleteLate({ s3, bucket, waitMilliseconds }: DeployedStage): Promise<string | undefined> {
  const Key = `projects/${smokeProject}/files/${randomUUID()}`;
  const sign = () => getSignedUrl(s3, new DeleteObjectCommand({ Bucket: bucket, Key }), { expiresIn: 900 });
  const send = async (url: string) => (await fetch(url, { method: "DELETE", signal: requestTimeout() })).status;
  const old = await sign();
  await delay(waitMilliseconds);
  const fresh = await send(await sign());
  if (fresh !== 204) return `the bucket responded with ${fresh} to a DELETE that was just signed`;
  const late = await send(old);
  return late === 403 ? undefined : `the bucket responded with ${late} to a DELETE that was signed over a minute ago`;
}

async function readDashboard({ dashboard }: DeployedStage): Promise<string | undefined> {
  if (dashboard === undefined) return undefined;
  for (const [path, type] of [
    ["/", "text/html"],
    ["/tokens", "text/html"],
    ["/configuration.json", "application/json"],
  ] as const) {
    const { status, headers } = await fetch(dashboard + path, { signal: requestTimeout() });
    if (status !== 200 || !headers.get("content-type")?.startsWith(type)) return `${path} responded with ${status}`;
    if (!headers.get("content-security-policy")?.includes("default-src")) return `${path} has no CSP`;
  }
  return undefined;
}

async function flood({ api }: DeployedStage): Promise<string | undefined> {
  const requests = Array.from({ length: 400 }, () => fetch(`${api}/health`, { signal: requestTimeout() }));
  const responses = await Promise.all(requests);
  const statuses = responses.map(({ status }) => status);
  return statuses.includes(429) ? undefined : `400 requests at once got ${[...new Set(statuses)].join(", ")}`;
}

/** Problem of CloudFormation's roles: with more than `infra/deployment/execution-policy.json` each deployment could do anything in the account. */
async function executionRoles({ account, regions, aws }: DeployedStage): Promise<string | undefined> {
  for (const region of regions) {
    const role = `cdk-hnb659fds-cfn-exec-role-${account}-${region}`;
    const { AttachedPolicies = [] } = await aws("iam", "list-attached-role-policies", "--role-name", role);
    const names = AttachedPolicies.map(({ PolicyName }: Json) => PolicyName);
    const isOurs = names.length > 0 && names.every((policy: string) => policy.startsWith("svc-execution"));
    if (!isOurs) return `${role} has ${names.length === 0 ? "no policy" : names.join(", ")}`;
  }
  return undefined;
}

const internalErrors = (name: string) => `${monitoringPrefix({ name })}-InternalErrors`;

/** An address that has not confirmed its subscription gets no message of any alarm. */
async function alarmsAreSubscribed({ name, aws }: DeployedStage): Promise<string | undefined> {
  const { MetricAlarms = [] } = await aws(...["cloudwatch", "describe-alarms", "--alarm-names", internalErrors(name)]);
  const topic = MetricAlarms[0]?.AlarmActions?.[0];
  if (topic === undefined) return `the alarm ${internalErrors(name)} has no topic`;
  const { Subscriptions = [] } = await aws("sns", "list-subscriptions-by-topic", "--topic-arn", topic);
  if (Subscriptions.length === 0) return `${topic} has no subscription`;
  const waiting = Subscriptions.find(({ SubscriptionArn }: Json) => !String(SubscriptionArn).startsWith("arn:"));
  return waiting && `${waiting.Endpoint} has not confirmed its subscription`;
}

async function raiseAlarm({ name, aws, waitMilliseconds }: DeployedStage): Promise<string | undefined> {
  const alarm = ["--alarm-name", internalErrors(name)];
  const since = new Date().toISOString();
  await aws("cloudwatch", "set-alarm-state", ...alarm, "--state-value", "ALARM", "--state-reason", "smoke test");
  await delay(waitMilliseconds);
  const actions = ["--history-item-type", "Action", "--start-date", since, "--end-date", new Date().toISOString()];
  const { AlarmHistoryItems = [] } = await aws("cloudwatch", "describe-alarm-history", ...alarm, ...actions);
  const told = AlarmHistoryItems.some(({ HistorySummary }: Json) => HistorySummary.startsWith("Successfully"));
  return told ? undefined : "CloudWatch has recorded no message to the topic";
}

/** Checks in this order: a token is created before what its notice passes through is looked at. */
const stageChecks = (): readonly StageCheck[] => [
  {
    fact: "the provider's keys are fetched, and an ID token signs in",
    advice: "Compare identityProvider in infra/stages.ts with the token's iss and aud; look at the functions' log.",
    find: signIn,
  },
  { fact: "a token is created and works", advice: "Find the request in the functions' log.", find: createToken },
  ...optionChecks,
  {
    fact: "the sweep runs",
    advice: "Read its lines in the functions' log.",
    find: (stage) => runFunction(stage, "sweep"),
  },
  {
    fact: "EventBridge starts every scheduled function",
    advice: "EventBridge, Rules: are they enabled? A stage that is younger than 15 minutes has had no sweep yet.",
    find: schedulesRun,
  },
  {
    fact: "the bucket refuses a write without If-None-Match",
    advice: "Look at WriteOnce in the bucket's policy, and whether your credentials reach the bucket.",
    find: putPlain,
  },
  {
    fact: "the bucket refuses a DELETE that was signed more than a minute ago, and no other",
    advice: "Look at DeletedWithinTheMinute in the bucket's policy; your credentials need s3:DeleteObject.",
    find: deleteLate,
  },
  {
    fact: "CloudFront serves page, view and configuration with their headers",
    advice: "docs/operations/dashboard.md: does the name point to DashboardTarget, and is the distribution deployed?",
    find: readDashboard,
  },
  {
    fact: "a flood of one route gets 429",
    advice: "Lower requestsPerSecond of this stage to 100 and deploy again: 400 requests may be too few for its share.",
    find: flood,
  },
  {
    fact: "CloudFormation may do what infra/deployment/execution-policy.json lists, and nothing else",
    advice: "docs/operations/deploying.md, Bootstrap: run it again with --cloudformation-execution-policies.",
    find: executionRoles,
  },
  {
    fact: "the address of the alarms has confirmed its subscription",
    advice: "Follow the link in the mail of AWS Notifications at alarmEmail, or subscribe the address again in SNS.",
    find: alarmsAreSubscribed,
  },
  {
    fact: "an alarm reaches its topic",
    advice: "Does the topic's policy name CloudWatch?",
    find: raiseAlarm,
  },
];

/**
 * Runs every check, also after one has failed, and prints each fact, or what is wrong and what to do.
 *
 * @returns whether all facts are true
 */
export async function smokeStage(stage: DeployedStage): Promise<boolean> {
  let holds = true;
  for (const { fact, advice, find } of stageChecks()) {
    const wrong = await find(stage).catch((error: Error) => error.message.split("\n")[0]);
    console.log(wrong === undefined ? `  ok      ${fact}` : `  FAILED  ${fact}: ${wrong}\n          ${advice}`);
    holds &&= wrong === undefined;
  }
  return holds;
}
