import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { tellGitHub } from "./ci-job.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-ci-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

test("what an API answers becomes no output, link or HTML of its own", () => {
  const [output, summary] = [join(folder, "output"), join(folder, "summary")];
  const published = {
    slug: "game",
    release: "r1\npath=/evil",
    url: "https://game.test/)<img src=x>`[a](b)",
    isNew: true,
  };
  const environment = { GITHUB_ACTIONS: "true", GITHUB_OUTPUT: output, GITHUB_STEP_SUMMARY: summary };
  expect(tellGitHub(environment, published)).toBeUndefined();
  expect(readFileSync(output, "utf8")).toBe("url=https://game.test/imgsrc=xab\nrelease=r1path=/evil\n");
  expect(readFileSync(summary, "utf8")).toBe(
    "[game](https://game.test/imgsrc=xab) is live as release `r1path=/evil`.\n",
  );
});

test("outside of a job of GitHub nothing is written", () => {
  const published = { slug: "game", release: "r1", url: "https://game.test/", isNew: true };
  expect(tellGitHub({ GITHUB_OUTPUT: "/" }, published)).toBeUndefined();
});
