import { join } from "node:path";
import { afterAll, beforeAll, expect } from "@jest/globals";
import { root } from "../../test/support/documents.ts";
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
const assembly = join(root, "build/deploy/life");

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
}, 300_000);
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
}, 300_000);

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
}, 300_000);

test("the former version is deployed again, and reads what the later one wrote", async () => {
  await cloud.deploy("life", settings);
  expect(await status()).toBe("UPDATE_COMPLETE");
  expect(await reportUrl()).toBeNull();
  expect(await request("GET", "/me/limits")).toMatchObject({ status: 404 });
  const { status: read, body } = await ada.get("/me");
  expect([read, Object.hasOwn(body.developer, "website")]).toEqual([200, false]);
}, 300_000);

test("a stage is given up, and what it leaves is listed, and deleted with its name once more", async () => {
  const leftovers = (...words: string[]) =>
    cloud.run("node", ["infra/operator/leftovers.ts", "life", "--stages", cloud.stagesFile, ...words]);
  expect((await leftovers("--delete", "life")).stderr).toContain("still has svc-life");
  const protection = ["--stack-name", "svc-life", "--no-enable-termination-protection"];
  await cloud.aws("cloudformation", "update-termination-protection", ...protection);
  const destroyed = await cloud.run("cdk", ["destroy", "--app", assembly, "--all", "--force"]);
  expect({ code: destroyed.code, stderr: destroyed.code === 0 ? "" : destroyed.stderr }).toEqual({
    code: 0,
    stderr: "",
  });
  const listed = (await leftovers()).stdout;
  for (const kind of ["table svc-life-Table", "bucket svc-life-files"]) expect(listed).toContain(kind);
  expect((await leftovers("--delete", "production")).stderr).toContain("nothing was deleted");
  const deleted = (await leftovers("--delete", "life")).stdout.trim().split("\n");
  expect(deleted.filter((line) => !line.endsWith(": deleted"))).toEqual([]);
  expect((await leftovers()).stdout.trim()).toBe("Nothing is left.");
}, 400_000);
