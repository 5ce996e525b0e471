import { randomBytes } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test as testHere } from "@jest/globals";
import { type CliUser, createCliUser, writeFiles } from "../../test/support/cli/cli.ts";
import { readDocument, root } from "../../test/support/documents.ts";
import { eventually } from "../../test/support/eventually.ts";
import { githubPublisher, newRepository, startGithubJob } from "../../test/support/identity/jobs.ts";
import { actorsOf, type Developer } from "../../test/support/service/actors.ts";
import { newProject, newSlug, sha256 } from "../../test/support/service/steps.ts";
import { testWith } from "../foreign-tools.ts";
import { account, apiIn, type Cloud, cloudTool, type Printed, startCloud } from "./cloud.ts";
import { unsupported } from "./unsupported.ts";

/*
 * A stage with its defaults, deployed once by `npm run deploy`, and used as people use it: by the command line at the URL that the
 * deployment printed. The sweep's schedule is 15 minutes, so it is invoked by Lambda's API; notices go by their schedule, a minute.
 */

const test = testWith(cloudTool);

/** A resource of a stack, as CloudFormation lists it. */
interface Made {
  readonly LogicalResourceId: string;
  readonly PhysicalResourceId: string;
  readonly ResourceType: string;
  readonly ResourceStatus: string;
}

let cloud: Cloud;
let deployed: string;
let api: string;
let made: readonly Made[];
let bucket: string;
/** It waits for two minutes, so it begins first. */
let smokeOfStage: Promise<Printed>;
let ada: Developer;
let person: CliUser;

beforeAll(async () => {
  if (cloudTool.missing !== undefined) return;
  cloud = await startCloud();
  const issuers = { github: [cloud.provider.issuer] };
  deployed = await cloud.deploy("trial", { disposable: true, jobIssuers: issuers });
  api = apiIn(deployed);
  made = (await cloud.aws("cloudformation", "list-stack-resources", "--stack-name", "svc-trial"))
    .StackResourceSummaries;
  bucket = made.find(({ LogicalResourceId: id }) => /^Files[0-9A-F]{8}$/.test(id))?.PhysicalResourceId ?? "";
  const env = { ...cloud.clientEnv, ID_TOKEN: cloud.provider.idToken({ claims: { sub: "smoke" } }) };
  smokeOfStage = cloud.run("node", ["programs/smoke.ts", "--stage", "trial", "--stages", cloud.stagesFile], env);
  ada = await actorsOf(cloud.serviceAt(api)).developer({ name: "Ada Lovelace" });
}, 900_000);
afterAll(() => cloud?.stop());
beforeEach(() => {
  person = createCliUser();
});
afterEach(() => person.leave());

/** Runs `svc` as a person who has a login there or none. */
const svc = async (args: readonly string[], options: { input?: string; env?: Record<string, string> } = {}) =>
  await person.run(args, { ...options, env: { ...cloud.clientEnv, SVC_API: api, ...options.env } });

/** The result of a command with --json: of svc publish the last of its lines. */
const resultOf = async (...words: Parameters<typeof svc>) => {
  const { code, stdout, stderr } = await svc([...words[0], "--json"], words[1]);
  if (code !== 0) throw new Error(`svc ${words[0].join(" ")}: ${stdout}${stderr}\n${cloud.log().slice(-3_000)}`);
  return JSON.parse(stdout.trim().startsWith("{\n") ? stdout : (stdout.trim().split("\n").at(-1) ?? ""));
};

const login = async (token: string) => {
  const { code, stderr } = await svc(["login", "--token", "-"], { input: token });
  expect({ code, stderr }).toMatchObject({ code: 0 });
};

/** The bytes of an object of the stage's bucket. */
const stored = async (key: string): Promise<Buffer> => {
  const target = join(cloud.folder, "object");
  await cloud.aws("s3api", "get-object", "--bucket", bucket, "--key", key, target);
  return readFileSync(target);
};

test("the deployment makes every resource that the foreign cloud can make, with the account's own policies", async () => {
  for (const line of [
    "create   policy svc-boundary",
    "create   policy svc-execution",
    "create   stack svc-trial in us-east-1",
  ])
    expect(deployed).toContain(line);
  const [template = ""] = globSync(join(root, "build/deploy/trial/svc-trial.template.json"));
  const wanted = Object.values<{ Type: string }>(JSON.parse(readFileSync(template, "utf8")).Resources);
  expect(made.map(({ ResourceType, ResourceStatus }) => [ResourceType, ResourceStatus]).sort()).toEqual(
    wanted.map(({ Type }) => [Type, "CREATE_COMPLETE"]).sort(),
  );
  console.log(`${made.length} resources were made, ${cloud.leftOut().length} left out`);
  const role = `cdk-hnb659fds-cfn-exec-role-${account}-us-east-1`;
  const { AttachedPolicies: policies } = await cloud.aws("iam", "list-attached-role-policies", "--role-name", role);
  expect(policies.map(({ PolicyName }: { PolicyName: string }) => PolicyName)).toEqual(["svc-execution"]);
});

testHere("the first hour on AWS looks at each resource that this leaves out", () => {
  const [, table = ""] = readDocument("docs/operations/first-hour.md").split("\n## What no foreign cloud made\n");
  const rows = table.split("\n").filter((line) => line.startsWith("| `"));
  expect(rows.map((row) => /^\| `([^`]+)`/.exec(row)?.[1])).toEqual(unsupported.map(({ name }) => name));
});

test("svc publishes, previews, promotes and rolls back, and the bucket has the published bytes", async () => {
  const { credential } = await ada.token({ scopes: ["publish", "projects"] });
  await login(credential);
  expect((await resultOf(["whoami"])).user.uid).toBe(ada.uid);
  const slug = newSlug();
  await resultOf(["projects", "create", slug]);
  const page = `<h1>${slug}</h1>`;
  writeFiles(`${person.home}/game`, { "index.html": page, "data/ä b.json": "{}" });
  const first = await resultOf(["publish", "game", "-p", slug]);
  expect((await ada.get(`/projects/${slug}`)).body.current_release.id).toBe(first.release);
  expect((await stored(`projects/${slug}/files/${sha256(page)}`)).toString()).toBe(page);

  writeFiles(`${person.home}/game`, { "index.html": "<h1>second</h1>" });
  const second = await resultOf(["publish", "game", "-p", slug, "--preview"]);
  expect((await ada.get(`/projects/${slug}`)).body.current_release.id).toBe(first.release);
  await resultOf(["promote", second.release, "-p", slug]);
  expect((await ada.get(`/projects/${slug}`)).body.current_release.id).toBe(second.release);
  await resultOf(["rollback", "-p", slug]);
  expect((await ada.get(`/projects/${slug}`)).body.current_release.id).toBe(first.release);
  const file = await fetch(`${api}/projects/${slug}/files/index.html`);
  expect([file.status, await file.text()]).toEqual([200, page]);

  expect((await svc(["logout", "--revoke"])).code).toBe(0);
  expect((await actorsOf(cloud.serviceAt(api)).bearer(credential).get("/me")).status).toBe(401);
}, 120_000);

test("a file above 64 MiB goes in parts, and the bucket has its bytes, also if the store says no checksum of copied parts", async () => {
  const { credential } = await ada.token({ scopes: ["publish"] });
  const slug = await newProject(ada);
  const send = async (bytes: Buffer, ...flags: string[]) => {
    writeFiles(`${person.home}/game`, { "index.html": "<h1>large</h1>", "world.pck": bytes });
    const env = { SVC_TOKEN: credential };
    return (await resultOf(["publish", "game", "-p", slug, ...flags], { env })).sent.bytes;
  };
  const expectStored = async (bytes: Buffer) => {
    const listed = ["--bucket", bucket, "--prefix", `projects/${slug}/files/`];
    const { Contents: objects } = await cloud.aws("s3api", "list-objects-v2", ...listed);
    const large = objects.find(({ Size }: { Size: number }) => Size === bytes.length);
    expect(sha256(await stored(large.Key))).toBe(sha256(bytes));
  };
  const first = Buffer.concat([randomBytes(65 * 1024 ** 2), Buffer.from(slug)]);
  expect(await send(first)).toBeGreaterThan(first.length);
  await expectStored(first);
  // The parts behind what is new are in the first file. AWS responds to UploadPartCopy with the SHA-256 of the part; MiniStack has
  // none, so no copy is kept and each part is sent.
  const next = Buffer.concat([randomBytes(200_000), first]);
  expect(await send(next, "--dry-run")).toBeLessThan(11_000_000);
  expect(await send(next)).toBeGreaterThan(next.length);
  await expectStored(next);
}, 300_000);

test("small files go in packs, of which the deployed function makes the files and their copies", async () => {
  const { credential } = await ada.token({ scopes: ["publish"] });
  const slug = await newProject(ada);
  const scripts = Array.from({ length: 120 }, (_, index) => `export const level = "${slug} ${index}";\n`.repeat(60));
  const folder = Object.fromEntries(scripts.map((text, index) => [`scripts/${index}.js`, text]));
  writeFiles(`${person.home}/game`, { "index.html": "<h1>packs</h1>", ...folder });
  const { release, sent } = await resultOf(["publish", "game", "-p", slug], { env: { SVC_TOKEN: credential } });
  expect((await ada.get(`/projects/${slug}`)).body.current_release.id).toBe(release);
  // Sent one by one it would be more than their bytes: no file of a copy is sent that a pack has.
  expect(sent).toMatchObject({ files: 121, variants: 120 });
  expect(sent.bytes).toBeLessThan(scripts.join("").length / 5);
  const keysIn = async (prefix: string): Promise<string[]> => {
    const listed = await cloud.aws("s3api", "list-objects-v2", "--bucket", bucket, "--prefix", prefix);
    return (listed?.Contents ?? []).map(({ Key }: { Key: string }) => Key);
  };
  expect(await keysIn(`projects/${slug}/files/`)).toHaveLength(241);
  for (const text of scripts.slice(0, 3))
    expect((await stored(`projects/${slug}/files/${sha256(text)}`)).toString()).toBe(text);
  expect(await keysIn(`packs/${slug}/`)).toEqual([]);
}, 120_000);

test("a revoked token gets 401 by the very next request", async () => {
  const token = await ada.token();
  expect((await token.get("/me")).status).toBe(200);
  expect((await ada.delete(`/tokens/${token.id}`)).status).toBe(204);
  expect((await token.get("/me")).status).toBe(401);
});

test("a job of a trusted repository publishes without a stored token", async () => {
  const slug = await newProject(ada);
  const repository = newRepository();
  const publisher = githubPublisher(repository, cloud.provider.issuer);
  expect((await ada.post(`/projects/${slug}/publishers`, publisher)).status).toBe(200);
  const job = await startGithubJob(cloud.provider, repository);
  writeFiles(`${person.home}/game`, { "index.html": "<h1>job</h1>" });
  const words = ["publish", "game", "-p", slug, "--owner", ada.uid];
  const { release } = await resultOf(words, { env: job.env as Record<string, string> });
  await job.stop();
  expect((await ada.get(`/projects/${slug}`)).body.current_release.id).toBe(release);
});

/** A queue that gets what a topic or a bus sends. */
const newQueue = async (name: string) => {
  const { QueueUrl: url } = await cloud.aws("sqs", "create-queue", "--queue-name", name);
  const arn = `arn:aws:sqs:${cloud.region}:${account}:${name}`;
  const statement = { Effect: "Allow", Principal: "*", Action: "sqs:SendMessage", Resource: arn };
  const policy = JSON.stringify({ Policy: JSON.stringify({ Version: "2012-10-17", Statement: [statement] }) });
  await cloud.aws("sqs", "set-queue-attributes", "--queue-url", url, "--attributes", policy);
  const received: string[] = [];
  return async () => {
    const batch = await cloud.aws("sqs", "receive-message", "--queue-url", url, "--max-number-of-messages", "10");
    received.push(...(batch?.Messages ?? []).map(({ Body }: { Body: string }) => Body));
    return received;
  };
};

/** Waits for a condition for two minutes: longer than a schedule's minute. */
const afterSchedule = (assert: () => Promise<unknown>) => eventually(assert, 120_000);

test("an alarm reaches who has subscribed to its topic", async () => {
  const receive = await newQueue("alarms");
  const topic = made.find(({ ResourceType }) => ResourceType === "AWS::SNS::Topic")?.PhysicalResourceId ?? "";
  const queue = `arn:aws:sqs:${cloud.region}:${account}:alarms`;
  await cloud.aws("sns", "subscribe", "--topic-arn", topic, "--protocol", "sqs", "--notification-endpoint", queue);
  // The smoke test may have set it to ALARM already, which sends nothing again.
  const alarm = ["--alarm-name", "svc-trial-monitoring-InternalErrors", "--state-reason", "trial"];
  for (const state of ["OK", "ALARM"])
    await cloud.aws("cloudwatch", "set-alarm-state", ...alarm, "--state-value", state);
  await afterSchedule(async () => expect((await receive()).join()).toContain("svc-trial-monitoring-InternalErrors"));
}, 180_000);

test("the schedule puts the notice of a new token on the bus, in its documented form", async () => {
  const receive = await newQueue("notices");
  const rule = ["--event-bus-name", "svc-trial"];
  await cloud.aws("events", "put-rule", "--name", "all", ...rule, "--event-pattern", '{"source":["svc"]}');
  const target = `Id=queue,Arn=arn:aws:sqs:${cloud.region}:${account}:notices`;
  await cloud.aws("events", "put-targets", "--rule", "all", ...rule, "--targets", target);
  const { id } = await ada.token();
  await afterSchedule(async () => {
    const events = (await receive()).map((body) => JSON.parse(body));
    const event = events.find(({ detail }) => detail.token?.id === id && detail.type === "token_created");
    expect(event).toMatchObject({ source: "svc", "detail-type": "token_created" });
    expect(event.detail).toMatchObject({ version: 1, account: { uid: ada.uid } });
  });
}, 180_000);

test("the operator suspends an account of the deployed stage, whose next request is refused", async () => {
  const other = await ada.otherDeveloper();
  const operate = (...words: string[]) =>
    cloud.run("node", ["programs/operator.ts", "--stage", "trial", "--stages", cloud.stagesFile, ...words], {
      DYNAMODB_ENDPOINT: cloud.endpoint,
    });
  const { code, stderr } = await operate("suspend", "account", other.uid, "--reason", "spam");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect((await other.post("/projects", { slug: newSlug() })).body).toMatchObject({ code: "account_suspended" });
});

/** The facts that a smoke test has printed, as it found them. */
const factsIn = (printed: string) =>
  [...printed.matchAll(/^ {2}(ok|FAILED) +(.*)$/gm)].map(([, found, fact]) => ({ found, fact }));
const ok = (fact: string) => ({ found: "ok", fact });
const wrong = (beginning: string) => ({ found: "FAILED", fact: expect.stringMatching(new RegExp(`^${beginning}: `)) });

test("npm run smoke finds nothing wrong, but GET /health, which MiniStack keeps for itself", async () => {
  await newProject(ada, "svc-smoke");
  const { credential } = await ada.token({ scopes: ["publish"], projects: ["svc-smoke"] });
  const env = { ...cloud.clientEnv, SVC_TOKEN: credential, SVC_ISSUER: cloud.provider.issuer };
  const { stdout } = await cloud.run("node", ["programs/smoke.ts", api], env);
  expect(factsIn(stdout)).toEqual([
    wrong("the API responds and has version 1.0.0"),
    ok("a request without a credential is refused as a problem that says how to authenticate"),
    ok("the token authenticates its owner"),
    ok("a fixed folder is published"),
    ok("its files are read below the API, by pages of every origin, and no odd path is a file"),
    ok("it plays at its own host, if the stage has a games domain"),
    ok("the bucket refuses other bytes than were signed"),
    ok("the identity provider's discovery document names the configured issuer"),
  ]);
}, 120_000);

test("npm run smoke -- --stage runs the sweep, and finds nothing wrong but what MiniStack lacks", async () => {
  const { stdout } = await smokeOfStage;
  // MiniStack counts the sweep that this has invoked sooner or later; its schedule takes 15 minutes.
  const schedules = "EventBridge starts every scheduled function";
  expect(factsIn(stdout).map((row) => (row.fact?.startsWith(schedules) ? ok(schedules) : row))).toEqual([
    ok("the provider's keys are fetched, and an ID token signs in"),
    ok("a token is created and works"),
    ok("the delivery of notices runs"),
    ok("notices and mails are accepted"),
    ok("the games' access log has files of a day with 1,000 requests"),
    ok("the sweep runs"),
    ok(schedules),
    ok("the bucket refuses a write without If-None-Match"),
    // It does not know s3:signatureAge.
    wrong("the bucket refuses a DELETE that was signed more than a minute ago, and no other"),
    // The function of the CDK that copies the page does not run.
    wrong("CloudFront serves page, view and configuration with their headers"),
    // It limits no route.
    wrong("a flood of one route gets 429"),
    ok("CloudFormation may do what infra/deployment/execution-policy.json lists, and nothing else"),
    ok("the address of the alarms has confirmed its subscription"),
    // It records no actions of alarms. Another test reads what the topic has sent.
    wrong("an alarm reaches its topic"),
  ]);
}, 300_000);
