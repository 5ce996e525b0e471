import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { sourceOfJob, writeJobOutputs } from "./ci-job.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-ci-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

test("a response of the API cannot add outputs, links or HTML", () => {
  const [output, summary] = [join(folder, "output"), join(folder, "summary")];
  const published = {
    slug: "game",
    release: "r1\npath=/evil",
    url: "https://game.test/)<img src=x>`[a](b)",
    kind: "published",
  } as const;
  const environment = { GITHUB_ACTIONS: "true", GITHUB_OUTPUT: output, GITHUB_STEP_SUMMARY: summary };
  expect(writeJobOutputs(environment, published)).toBeUndefined();
  expect(readFileSync(output, "utf8")).toBe("url=https://game.test/imgsrc=xab\nrelease=r1path=/evil\nstatus=live\n");
  expect(readFileSync(summary, "utf8")).toBe(
    "[game](https://game.test/imgsrc=xab) is live as release `r1path=/evil`.\n",
  );
});

test("outside of GitHub Actions nothing is written", () => {
  const published = { slug: "game", release: "r1", url: "https://game.test/", kind: "published" } as const;
  expect(writeJobOutputs({ GITHUB_OUTPUT: "/" }, published)).toBeUndefined();
});

test("the summary of a job whose release waits leads to the page where a person makes it live", () => {
  const [output, summary] = [join(folder, "waiting-output"), join(folder, "waiting-summary")];
  const environment = { GITHUB_ACTIONS: "true", GITHUB_OUTPUT: output, GITHUB_STEP_SUMMARY: summary };
  const waiting = { slug: "game", release: "r2", url: "https://game.test/", kind: "waiting" } as const;
  for (const reviewUrl of ["https://dashboard.test/projects/game", "https://d.test/)<b>", null])
    expect(writeJobOutputs(environment, { ...waiting, reviewUrl })).toBeUndefined();
  expect(readFileSync(output, "utf8")).toBe("url=https://game.test/\nrelease=r2\nstatus=waiting\n".repeat(3));
  const rest = "has release `r2`, which waits for a person to make it live.\n";
  const urls = ["https://dashboard.test/projects/game", "https://d.test/b", "https://game.test/"];
  expect(readFileSync(summary, "utf8")).toBe(urls.map((url) => `[game](${url}) ${rest}`).join(""));
});

const github = { GITHUB_ACTIONS: "true", GITHUB_SERVER_URL: "https://git.example", GITHUB_REPOSITORY: "ada/game" };
const page = (length: number) => "https://git.example/".padEnd(length, "1");

test.each<[string, NodeJS.ProcessEnv, object | undefined]>([
  [
    "a GitHub job",
    { ...github, GITHUB_SHA: "0123456", GITHUB_RUN_ID: "7" },
    { commit: "0123456", run_url: "https://git.example/ada/game/actions/runs/7" },
  ],
  [
    "a GitLab job",
    { GITLAB_CI: "true", CI_COMMIT_SHA: "a".repeat(64), CI_JOB_URL: page(2_048) },
    { commit: "a".repeat(64), run_url: page(2_048) },
  ],
  [
    "a job whose page has a longer URL than the API takes",
    { GITLAB_CI: "true", CI_COMMIT_SHA: "0123456", CI_JOB_URL: page(2_049) },
    { commit: "0123456" },
  ],
  [
    "a job whose page's URL has a user",
    { GITLAB_CI: "true", CI_COMMIT_SHA: "0123456", CI_JOB_URL: "https://ada@git.example/" },
    { commit: "0123456" },
  ],
  ["a job with a commit that is too short", { GITLAB_CI: "true", CI_COMMIT_SHA: "012345" }, undefined],
  ["a job with a commit that is too long", { GITLAB_CI: "true", CI_COMMIT_SHA: "a".repeat(65) }, undefined],
  ["no job", { GITHUB_SHA: "0123456", CI_COMMIT_SHA: "0123456", GITHUB_ACTIONS: "false" }, undefined],
])("the source of a release from %s", (_, environment, source) => {
  expect(sourceOfJob(environment)).toEqual(source);
});
