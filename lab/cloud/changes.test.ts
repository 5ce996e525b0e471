import { afterAll, beforeAll, expect } from "@jest/globals";
import { useGuideCopy } from "../../test/support/guide.ts";
import { actorsOf, type Developer } from "../../test/support/service/actors.ts";
import { newProject } from "../../test/support/service/steps.ts";
import { testWith } from "../foreign-tools.ts";
import { apiIn, type Cloud, cloudTool, startCloud } from "./cloud.ts";

/*
 * A stage from its first deployment over a later version, one that fails and the revert to its end. The tests are the steps of one life, in
 * order. The later version is a copy of the repository that has followed the guides of docs/architecture.md.
 */

const test = testWith(cloudTool);

/** The repository with a later version. */
const next = useGuideCopy();
const settings = { notices: false };
const nextSettings = { reportUrl: "https://example.com/report" };

let cloud: Cloud;
let api: string;
let ada: Developer;
let slug: string;

beforeAll(async () => {
  if (cloudTool.missing !== undefined) return;
  cloud = await startCloud();
  api = apiIn(await cloud.deploy("life", settings));
  ada = await actorsOf(cloud.serviceAt(api)).developer();
  slug = await newProject(ada);
}, 900_000);
afterAll(() => cloud?.stop());

const status = async () =>
  (await cloud.aws("cloudformation", "describe-stacks", "--stack-name", "svc-life")).Stacks[0].StackStatus;
const reportUrl = async () => (await ada.get(`/projects/${slug}`)).body.report_url;

/** Sends a request of a version whose contract is not that of this repository. */
const request = async (method: string, path: string, body?: object) => {
  const response = await fetch(api + path, {
    method,
    headers: { authorization: `Bearer ${ada.credential}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
};

test("a changed function, a new route and another setting are deployed together", async () => {
  expect(await request("GET", "/me/limits")).toMatchObject({ status: 404 });
  expect(await reportUrl()).toBeNull();
  const [shown, edited, view] = await next.snippets("How to add a field");
  const [description, entry, , handler, permission] = await next.snippets("How to add a route");
  for (const snippet of [shown, edited, view, description, entry, handler, permission]) await next.apply(snippet);
  const printed = await cloud.deploy("life", { ...settings, ...nextSettings }, next.folder);
  expect(printed).toContain("update   stack svc-life");
  expect(await status()).toBe("UPDATE_COMPLETE");
  const website = "https://ada.example/";
  expect(await request("PATCH", "/me", { website })).toMatchObject({ status: 200, body: { developer: { website } } });
  const limits = { projects: 50, active_tokens: 50 };
  expect(await request("GET", "/me/limits")).toEqual({ status: 200, body: limits });
  expect(await reportUrl()).toBe(nextSettings.reportUrl);
}, 900_000);

test("a deployment that fails is rolled back: functions and settings are those before it", async () => {
  const [, , , handler] = await next.snippets("How to add a route");
  const code = handler?.code.replace("limits.projectsPerAccount", "49") ?? "";
  await next.write("functions/handlers/get-limits.ts", code);
  // Somebody has made a bus of the name that the stage's own would have.
  await cloud.aws("events", "create-event-bus", "--name", "svc-life");
  const failing = cloud.deploy("life", { reportUrl: "https://example.com/failing" }, next.folder);
  await expect(failing).rejects.toThrow("EventBus already exists: svc-life");
  expect(await status()).toBe("UPDATE_ROLLBACK_COMPLETE");
  expect((await request("GET", "/me/limits")).body).toEqual({ projects: 50, active_tokens: 50 });
  expect(await reportUrl()).toBe(nextSettings.reportUrl);
}, 900_000);

test("the former version is deployed again, and reads what the later one wrote", async () => {
  await cloud.deploy("life", settings);
  expect(await status()).toBe("UPDATE_COMPLETE");
  expect(await reportUrl()).toBeNull();
  expect(await request("GET", "/me/limits")).toMatchObject({ status: 404 });
  const { status: read, body } = await ada.get("/me");
  expect([read, Object.hasOwn(body.developer, "website")]).toEqual([200, false]);
  // No version has left a key of KMS, which would cost a dollar a month.
  expect((await cloud.aws("kms", "list-keys")).Keys).toEqual([]);
}, 900_000);

test("a first deployment that fails is repeated once its cause is removed, and leaves nothing behind", async () => {
  const found = async () => {
    const { TableNames: tables } = await cloud.aws("dynamodb", "list-tables");
    const { Buckets: buckets } = await cloud.aws("s3api", "list-buckets");
    const names = [...tables, ...buckets.map(({ Name }: { Name: string }) => Name)] as string[];
    return names.filter((name) => name.startsWith("svc-first-"));
  };
  await cloud.aws("events", "create-event-bus", "--name", "svc-first");
  await expect(cloud.deploy("first")).rejects.toThrow(
    /The stack svc-first in us-east-1 was not deployed:\n.*EventBus already exists: svc-first.*it makes the stack again\./s,
  );
  // The cause is still there, so this attempt fails too.
  await expect(cloud.deploy("first")).rejects.toThrow("EventBus already exists: svc-first");
  await cloud.aws("events", "delete-event-bus", "--name", "svc-first");
  const printed = await cloud.deploy("first");
  expect(printed).toMatch(/remake {3}stack svc-first in us-east-1, which is ROLLBACK_(COMPLETE|FAILED): \d+ resources/);
  expect((await fetch(`${apiIn(printed)}/users/nobody`)).status).toBe(404);
  const made = (await cloud.aws("cloudformation", "list-stack-resources", "--stack-name", "svc-first"))
    .StackResourceSummaries as { PhysicalResourceId: string }[];
  const own = made.map(({ PhysicalResourceId: id }) => id);
  expect((await found()).filter((name) => !own.includes(name))).toEqual([]);
}, 900_000);

test("a stage is given up, and what it leaves is listed, and deleted with its name once more", async () => {
  cloud.writeStages("life", settings);
  const destroy = async (...words: string[]) => {
    const args = ["programs/deploy.ts", "life", "--destroy", "--yes", "--stages", cloud.stagesFile, ...words];
    const { code, stdout, stderr } = await cloud.run("node", args);
    return { code, stderr, lines: stdout.trim().split("\n") };
  };
  const ended = await destroy();
  expect(ended).toMatchObject({ code: 0, stderr: "" });
  expect(ended.lines).toContain("Deleted the stack svc-life in us-east-1.");
  for (const kind of ["table svc-life-Table", "bucket svc-life-files"])
    expect(ended.lines).toContainEqual(expect.stringContaining(`kept     ${kind}`));
  expect((await destroy("--delete-data", "production")).stderr).toContain("nothing was deleted");
  const { code, stderr, lines } = await destroy("--delete-data", "life");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  // MiniStack gives logs other names than AWS, so it keeps these, and nobody finds them.
  const deleted = lines.filter((line) => line.endsWith(": deleted")).map((line) => line.split(" svc-life-")[0]);
  expect(deleted.sort()).toEqual(["access log", "bucket", "bucket", "table"]);
  expect(lines.filter((line) => line.includes("NOT deleted"))).toEqual([]);
  expect((await destroy()).lines).toEqual([expect.stringContaining("has left nothing")]);
}, 900_000);
