import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { writeJobOutputs } from "./ci-job.ts";

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
    isNew: true,
  };
  const environment = { GITHUB_ACTIONS: "true", GITHUB_OUTPUT: output, GITHUB_STEP_SUMMARY: summary };
  expect(writeJobOutputs(environment, published)).toBeUndefined();
  expect(readFileSync(output, "utf8")).toBe("url=https://game.test/imgsrc=xab\nrelease=r1path=/evil\n");
  expect(readFileSync(summary, "utf8")).toBe(
    "[game](https://game.test/imgsrc=xab) is live as release `r1path=/evil`.\n",
  );
});

test("outside of GitHub Actions nothing is written", () => {
  const published = { slug: "game", release: "r1", url: "https://game.test/", isNew: true };
  expect(writeJobOutputs({ GITHUB_OUTPUT: "/" }, published)).toBeUndefined();
});
