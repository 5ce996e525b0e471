import { join } from "node:path";
import { afterAll, beforeAll, expect } from "@jest/globals";
import { root } from "../../test/support/documents.ts";
import { actorsOf, type Developer } from "../../test/support/service/actors.ts";
import { newProject } from "../../test/support/service/steps.ts";
import { testWith } from "../foreign-tools.ts";
import { apiIn, type Cloud, cloudTool, startCloud } from "./cloud.ts";

/* A stage from its first deployment over a change and its revert to its end. The tests are the steps of one life, in order. */

const test = testWith(cloudTool);
const assembly = join(root, "build/deploy/life");

let cloud: Cloud;
let api: string;
let ada: Developer;
let slug: string;

beforeAll(async () => {
  if (cloudTool.missing !== undefined) return;
  cloud = await startCloud();
  api = apiIn(await cloud.deploy("life"));
  ada = await actorsOf(cloud.serviceAt(api)).developer();
  slug = await newProject(ada);
}, 300_000);
afterAll(() => cloud?.stop());

const status = async () =>
  (await cloud.aws("cloudformation", "describe-stacks", "--stack-name", "svc-life")).Stacks[0].StackStatus;
const reportUrl = async () => (await ada.get(`/projects/${slug}`)).body.report_url;

test("a setting that changes is another value in the environment of the functions", async () => {
  expect(await reportUrl()).toBeNull();
  const printed = await cloud.deploy("life", { reportUrl: "https://example.com/report" });
  expect(printed).toContain("update   stack svc-life");
  expect(await status()).toBe("UPDATE_COMPLETE");
  expect(await reportUrl()).toBe("https://example.com/report");
}, 300_000);

test("the former version is deployed again, with the same data", async () => {
  await cloud.deploy("life");
  expect(await status()).toBe("UPDATE_COMPLETE");
  expect(await reportUrl()).toBeNull();
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
