import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { root } from "../../test/support/documents.ts";

/* Redocly and Spectral judge the OpenAPI document; npx fetches 126 MB for them. */
const document = "contract/documents/openapi.json";

const redocly = "@redocly/cli@2.77.0";
const run = (...words: readonly string[]) =>
  spawnSync("npx", ["--yes", "--ignore-scripts", ...words], { cwd: root, encoding: "utf8" });

test.each([
  [redocly, "lint", "--extends", "recommended-strict", document],
  [
    "@stoplight/spectral-cli@6.16.3",
    ...["lint", "--ruleset", "contract/documents/spectral.json", "--fail-severity", "hint", document],
  ],
])(
  "%s finds nothing in the OpenAPI document",
  (...words) => {
    const { status, stdout, stderr } = run(...words);
    expect({ status, output: status === 0 ? "" : stdout + stderr }).toEqual({ status: 0, output: "" });
  },
  300_000,
);

test("Redocly makes the page of docs/api.md, which has every route", () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-api-"));
  const page = join(folder, "api.html");
  try {
    const { status, stderr } = run(redocly, "build-docs", document, "--output", page);
    expect({ status, stderr: status === 0 ? "" : stderr }).toEqual({ status: 0, stderr: "" });
    const text = readFileSync(page, "utf8");
    const { paths } = JSON.parse(readFileSync(join(root, document), "utf8"));
    expect(Object.keys(paths).filter((path) => !text.includes(path))).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}, 300_000);
