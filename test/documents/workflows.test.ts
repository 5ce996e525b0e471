import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { codeBlocks, root } from "../support/documents.ts";

/*
 * What actionlint and zizmor complain of, and what these documents promise: the workflows that people copy, and the repository's own.
 */

const yamlOf = (document: string) =>
  codeBlocks(document).flatMap(({ language, text }, index) =>
    language === "yaml" ? [[`${document}, block ${index + 1}`, text] as const] : [],
  );
const own = globSync(".github/{workflows,actions}/**/*.yml", { cwd: root }).map(
  (path) => [path, readFileSync(join(root, path), "utf8")] as const,
);
const documented = yamlOf("docs/github-actions.md").filter(([, text]) => text.includes("\njobs:\n"));
const [[, gitlab = ""] = []] = yamlOf("docs/gitlab.md");

/** The text of each job, by its name. */
function jobsOf(workflow: string): ReadonlyMap<string, string> {
  const jobs = workflow.slice(workflow.indexOf("\njobs:\n")).split(/^(?= {2}[\w-]+:$)/m);
  return new Map(jobs.slice(1).map((text) => [/^ {2}([\w-]+):/.exec(text)?.[1] ?? "", text]));
}

/** The scripts of `run`, each with its further lines. */
const scriptsOf = (text: string) =>
  [...text.matchAll(/^( *)(?:- )?run: (.*\n(?:\1 {2,}.*\n|\n)*)/gm)].map(([, , script]) => script);

test("there are workflows to look at", () => {
  expect([own.length > 0, documented.length, gitlab.length > 0]).toEqual([true, 1, true]);
});

test.each([...own, ...documented])("%s uses foreign actions by commit, with the version in a comment", (_, text) => {
  for (const [, action] of text.matchAll(/uses: (?!\.\/)(.*)$/gm))
    expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
});

test.each([...own, ...documented])("%s starts for no stranger with this repository's credentials", (_, text) => {
  expect(text).not.toMatch(/pull_request_target|workflow_run|issue_comment/);
});

test.each(documented)("%s has no template in a script", (_, text) => {
  expect(scriptsOf(text).length).toBeGreaterThan(0);
  for (const script of scriptsOf(text)) expect(script).not.toContain("${{");
});

test.each([...own, ...documented])("%s leaves no token of GitHub in a checkout", (_, text) => {
  for (const step of text.split(/^ *- (?=uses: |name: )/m).filter((one) => one.includes("actions/checkout@")))
    expect(step).toContain("persist-credentials: false");
});

test.each(documented)("%s allows nothing by default, and its jobs only to read", (_, text) => {
  expect(text).toMatch(/^permissions: \{\}$/m);
  for (const job of jobsOf(text).values()) {
    expect(job).toMatch(/^ {4}permissions:/m);
    expect(job).not.toMatch(/: write$/m);
    expect(job).toMatch(/^ {4}timeout-minutes: \d+$/m);
  }
});

test.each(documented)("%s has its secret in an environment's job, which builds nothing and has no cache", (_, text) => {
  const [build = "", publish = "", ...others] = jobsOf(text).values();
  expect(others).toEqual([]);
  expect(build).not.toMatch(/secrets\.|id-token|environment:/);
  expect(publish).toMatch(/^ {4}needs: build$/m);
  expect(publish).toMatch(/^ {4}environment: \S+$/m);
  expect(publish).not.toMatch(
    /actions\/checkout|actions\/cache|(?<!package-manager-)cache: |npm (ci|run|install(?! --global --ignore-scripts https:))/,
  );
  expect(publish.match(/actions\/setup-node@/g)?.length).toBe(publish.match(/package-manager-cache: false/g)?.length);
});

test("the pipeline of docs/gitlab.md publishes in a job of an environment that takes only the build's files", () => {
  const [, build = "", publish = ""] = gitlab.split(/^(?=\w+:$)/m);
  expect(build).not.toMatch(/SVC_|environment:/);
  for (const line of ["cache: []", "dependencies: [build]", "environment: production", "  GIT_STRATEGY: none"])
    expect(publish).toContain(`\n  ${line}\n`);
  expect(publish).not.toMatch(/npm (ci|run)|merge_request/);
  expect(publish).toMatch(/\$CI_PIPELINE_SOURCE == "push"/);
});
