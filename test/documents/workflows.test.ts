import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import {
  documentedPipeline,
  documentedPreviews,
  documentedWorkflows,
  shownPipeline,
  shownWorkflow,
} from "../support/documented-workflows.ts";
import { root } from "../support/documents.ts";

/*
 * The workflows that people copy, and the repository's own. lab/judges/workflows.test.ts asks zizmor and actionlint about them.
 */

const own = globSync(".github/{workflows,actions}/**/*.yml", { cwd: root }).map(
  (path) => [path, readFileSync(join(root, path), "utf8")] as const,
);
const [[, withToken = ""] = [], [, withIdentity = ""] = [], [, ofPullRequests = ""] = []] = documentedWorkflows;

test("there are workflows to look at", () => {
  expect(own.map(([path]) => path)).toContain(".github/workflows/deploy.yml");
  expect(withToken).toContain("secrets.SVC_TOKEN");
  expect(withIdentity).toContain("id-token: write");
  expect(withIdentity).not.toContain("secrets.");
});

test.each(documentedWorkflows.slice(0, 2))(
  "the workflow %s builds in one job and publishes in another one",
  (_, text) => {
    const [, build = "", publish = ""] = text.split(/^(?= {2}(?:build|publish):$)/m);
    expect(build).toContain("npm run build");
    expect(build).not.toMatch(/id-token|secrets|environment:/);
    expect(publish).toContain("environment: production");
    expect(publish).not.toMatch(/checkout@|npm (ci|run)|npx/);
  },
);

test("the workflow of pull requests builds with the code of the pull request, and its other job runs none of it", () => {
  const [, build = "", preview = ""] = ofPullRequests.split(/^(?= {2}(?:build|preview):$)/m);
  expect(build).toContain("if: github.event.action != 'closed'");
  expect(build).toContain("npm run build");
  expect(build).not.toMatch(/id-token|secrets|write/);
  expect(preview).not.toMatch(/checkout|run:|secrets/);
  expect(preview).toContain("preview: true");
});

/** Whose action.yml says `using: node24`, or uses one that does; looked up on 2026-11-27. GitHub's runners no longer have Node 20. */
const onNode24 = [
  "actions/checkout@de0fac2e4500dabe0009e67214ff5f5447ce83dd # v6.0.2",
  "actions/setup-node@53b83947a5a98c8d113130e565377fae1a50d02f # v6.3.0",
  "actions/upload-artifact@bbbca2ddaa5d8feaa63e36b76fdaad77386f024f # v7.0.0",
  "actions/download-artifact@3e5f45b2cfb9172054b4087a40e8e0b5a5461e7c # v8.0.1",
  "aws-actions/configure-aws-credentials@8df5847569e6427dd6c4fb1cf565c83acfa8afa7 # v6.0.0",
];

test("every action of others runs on a Node that GitHub's runners have", () => {
  const documents = globSync("docs/**/*.md", { cwd: root }).map((path) => readFileSync(join(root, path), "utf8"));
  const used = [...documents, ...own.map(([, text]) => text)].flatMap((text) =>
    [...text.matchAll(/^ *(?:- )?uses: ((?!OWNER\/|\.\/).+)$/gm)].map(([, action]) => action),
  );
  expect([...new Set(used)].toSorted()).toEqual(onNode24.toSorted());
});

test("the pipeline of docs/gitlab.md publishes in a job of an environment that takes only the build's files", () => {
  const [, build = "", publish = ""] = documentedPipeline.split(/^(?=\w+:$)/m);
  expect(build).not.toMatch(/SVC_|environment:/);
  for (const line of ["cache: []", "dependencies: [build]", "environment: production", "  GIT_STRATEGY: none"])
    expect(publish).toContain(`\n  ${line}\n`);
  expect(publish).not.toMatch(/npm (ci|run)|merge_request/);
  expect(publish).toMatch(/npm pack.*\n.*sha256sum --check\n.*npm install --global --ignore-scripts --offline/);
  expect(publish).toMatch(/\$CI_PIPELINE_SOURCE == "push"/);
});

describe("the file that the dashboard shows with a publisher", () => {
  test("is the workflow of the documents with an identity and its values", () => {
    const shown = shownWorkflow();
    const [lines, documented] = [shown, withToken].map((text) => text.split("\n"));
    expect(lines?.filter((line) => !documented?.includes(line))).toEqual([
      "  workflow_dispatch:",
      "          path: build/web",
      "      id-token: write",
      "          path: build/web",
      "          svc publish build/web --project star-hopper --owner ada-uid-1",
    ]);
    expect(shown).not.toMatch(/SVC_TOKEN|whoami|my-game|dist\b|\n\n\n/);
    expect(shown).toMatch(/\n {4}permissions:\n {6}id-token: write\n {4}steps:\n/);
  });

  test.each<[("push" | "release" | "workflow_dispatch" | "schedule" | "pull_request")[], string]>([
    [["push"], "  push:\n    branches: [main]\n"],
    [["release", "workflow_dispatch"], "  release:\n    types: [published]\n  workflow_dispatch:\n"],
    [["pull_request", "schedule"], '  schedule:\n    - cron: "0 6 * * 1"\n'],
    [["pull_request"], "  workflow_dispatch:\n"],
  ])("begins with the events %j", (events, on) => {
    expect(shownWorkflow({ events })).toContain(`\non:\n${on}\npermissions: {}\n`);
  });

  test("is the pipeline of the documents with an identity and its values", () => {
    const [lines, documented] = [shownPipeline(), documentedPipeline].map((text) => text.split("\n"));
    expect(lines?.filter((line) => !documented?.includes(line))).toEqual([
      "    paths: [build/web]",
      "  id_tokens:",
      "    SVC_ID_TOKEN:",
      "      aud: https://api.svc.example",
      "    - svc publish build/web --project star-hopper --owner ada-uid-1",
    ]);
    expect(shownPipeline()).not.toMatch(/SVC_TOKEN|whoami|my-game|dist\b/);
  });

  test.each([
    ["staging", " environment: staging\n"],
    ["live: #1", ' environment: "live: #1"\n'],
    [null, undefined],
  ])("has the environment %j", (environment, line) => {
    for (const text of [shownWorkflow({ environment }), shownPipeline(environment)]) {
      if (line === undefined) expect(text).not.toContain("environment:");
      else expect(text).toContain(line);
      expect(text).not.toContain("environment: production");
    }
  });

  test("names an owner by any ID as one word of the command", () => {
    const [, item = ""] = /^ {4}- ("svc publish .*")$/m.exec(shownPipeline("production", `it's: "me" #1`)) ?? [];
    const words = execFileSync("sh", ["-c", JSON.parse(item).replace("svc publish", "printf '%s\\n'")], {
      encoding: "utf8",
    });
    expect(words).toBe(`build/web\n--project\nstar-hopper\n--owner\nit's: "me" #1\n`);
  });
});

test.each([
  ["feature-1", "feature-1"],
  ["a".repeat(63), "a".repeat(40)],
  [`${"a".repeat(39)}--b`, "a".repeat(39)],
])("the pipeline of previews names that of the branch %s as the service takes it", (branch, name) => {
  const names = [...documentedPreviews.matchAll(/--(?:preview|end)=(".+")$/gm)].map(([, text]) => text);
  expect(names).toHaveLength(2);
  for (const text of names) {
    const env = { PATH: process.env["PATH"], CI_COMMIT_REF_SLUG: branch };
    expect(execFileSync("sh", ["-c", `printf %s ${text}`], { encoding: "utf8", env })).toBe(name);
  }
});
