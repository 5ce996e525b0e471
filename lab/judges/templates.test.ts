import { globSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect } from "@jest/globals";
import { addEveryStack, createApp, type TestApp } from "../../test/support/synthesis/app.ts";
import { judge, pythonTool, testWith } from "../foreign-tools.ts";

const cfnLint = pythonTool("cfn-lint==1.58.0", "cfn-lint");

/** Rules of which a finding is no fault, and why. */
const explained: Readonly<Record<string, string>> = {
  W3005: "CDK writes DependsOn for what a reference enforces already",
};

let made: TestApp | undefined;

afterEach(() => made?.dispose());

interface Finding {
  readonly Rule: { readonly Id: string };
  readonly Message: string;
  readonly Filename: string;
}

testWith(cfnLint)("cfn-lint finds nothing in the templates of every stage with every option", () => {
  made = createApp();
  addEveryStack(made);
  const templates = globSync(join(made.app.synth().directory, "*.template.json"));
  expect(templates).toHaveLength(10);
  const { stdout } = judge(cfnLint, ["--format", "json", ...templates]);
  const findings: Finding[] = JSON.parse(stdout);
  const unexplained = findings.filter(({ Rule }) => !(Rule.Id in explained));
  expect(unexplained.map(({ Rule, Message, Filename }) => `${Rule.Id} ${Message} ${Filename}`)).toEqual([]);
  // A finding that is gone needs no explanation.
  expect([...new Set(findings.map(({ Rule }) => Rule.Id))].sort()).toEqual(Object.keys(explained).sort());
});
