import { globSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { writeFiles } from "../../test/support/cli/cli.ts";
import { documentedWorkflows } from "../../test/support/documented-workflows.ts";
import { root } from "../../test/support/documents.ts";
import { goTool, judge, pythonTool, testWith } from "../foreign-tools.ts";

const zizmor = pythonTool("zizmor==1.32.0", "zizmor");
const actionlint = goTool("github.com/rhysd/actionlint/cmd/actionlint@v1.7.12", "actionlint");

/** Audits of zizmor of which a finding is no fault, and why. */
const explained: Readonly<Record<string, string>> = {
  "self-repository": "deploy.yml has checked out its own commit when it uses ./.github/actions; actionlint refuses $/",
  "adhoc-packages": "the documented workflow installs one file whose digest it has compared",
};

/** The workflows of the documents, as the files of a repository. */
const documented = mkdtempSync(join(tmpdir(), "svc-workflows-"));
const paths = documentedWorkflows.map(([name]) => `.github/workflows/${name.replaceAll(" ", "-")}.yml`);

beforeAll(() => {
  writeFiles(documented, Object.fromEntries(documentedWorkflows.map(([, text], index) => [paths[index] ?? "", text])));
});
afterAll(() => rmSync(documented, { recursive: true, force: true }));

test("the documents show three workflows, and the dashboard another one", () => {
  expect(paths).toHaveLength(4);
});

testWith(zizmor)("zizmor finds nothing in the workflows, the documented ones and the action", () => {
  const inputs = [".github/workflows", ".github/actions", "cli/action", documented];
  const { stdout, stderr } = judge(zizmor, ["--offline", "--format", "json", "--no-exit-codes", ...inputs]);
  for (const name of ["deploy.yml", "nightly.yml", "cli/action/action.yml", ...paths]) expect(stderr).toContain(name);
  const findings: { ident: string; desc: string }[] = JSON.parse(stdout);
  const unexplained = findings.filter(({ ident }) => !(ident in explained));
  expect(unexplained.map(({ ident, desc }) => `${ident}: ${desc}`)).toEqual([]);
  expect([...new Set(findings.map(({ ident }) => ident))].sort()).toEqual(Object.keys(explained).sort());
});

testWith(actionlint)("actionlint finds nothing in the workflows and the documented ones", () => {
  const own = globSync(".github/workflows/*.yml", { cwd: root }).map((path) => join(root, path));
  const files = [...own, ...paths.map((path) => join(documented, path))];
  expect(judge(actionlint, ["-no-color", ...files])).toEqual({ code: 0, stdout: "", stderr: "" });
});
