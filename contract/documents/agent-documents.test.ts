import { expect, test } from "@jest/globals";
import { COMMANDS } from "../../programs/cli.ts";
import { readDocument } from "../../test/support/documents.ts";
import { agentDocuments, localStage, summariesOf } from "./agent-documents.ts";
import commands from "./commands.json" with { type: "json" };

const api = "https://api.stage.test";
const { "llms.txt": llms, "SKILL.md": skill } = agentDocuments({ api, commandLine: "https://stage.test/svc.tgz" });

test("llms.txt begins with a title and a summary in a quotation (llmstxt.org)", () => {
  expect(llms).toMatch(/^# svc\n\n> \S[^\n]+\n\n/);
});

test("the skill has a name and a description, and the text of llms.txt", () => {
  const [, header = "", body = ""] = /^---\n(.*?)\n---\n(.*)$/s.exec(skill) ?? [];
  expect(header).toMatch(/^name: [a-z0-9-]{1,64}\ndescription: [^\n:]{1,1024}$/);
  const text = body.replace(/^\n# .*\n\n/, "");
  expect(text.length).toBeGreaterThan(1_000);
  expect(llms).toContain(text);
});

test("a stage's documents have its URLs", () => {
  for (const text of [llms, skill]) {
    expect(text).toContain("npm install --global https://stage.test/svc.tgz");
    expect(text).toContain("<https://api.stage.test/openapi.json>");
  }
});

test("the documents of a stage that does not serve the command line name no URL of it", () => {
  const text = agentDocuments({ api, commandLine: undefined })["llms.txt"];
  expect(text).toMatch(/^## Install\n\n[^`]*\n\nThis stage does not serve the package: [^\n`]*\n\n## /m);
});

test("the commands are those that help lists, with their summaries, and commands.json is what npm run openapi writes", () => {
  expect(llms).toContain("- `svc projects create`: Create a project.\n");
  expect(llms).not.toContain("`svc complete`");
  expect(Object.entries(commands)).toEqual(Object.entries(summariesOf(COMMANDS)));
});

test("the exit codes are those of docs/cli.md, without the signals", () => {
  const documented = [...readDocument("docs/cli.md").matchAll(/^\| ([0-9]) +\| /gm)].map(([, code]) => code);
  expect(documented).toHaveLength(6);
  expect([...llms.matchAll(/^- ([0-9]): /gm)].map(([, code]) => code)).toEqual(documented);
});

test("llms.txt beside README.md is what npm run openapi writes", () => {
  expect(readDocument("llms.txt")).toBe(agentDocuments(localStage)["llms.txt"]);
});
