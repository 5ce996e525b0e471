import { spawnSync } from "node:child_process";
import { expect, test } from "@jest/globals";
import { root } from "../../test/support/documents.ts";

/* Redocly and Spectral judge the OpenAPI document; npx fetches 126 MB for them. */
const document = "contract/documents/openapi.json";

test.each([
  ["@redocly/cli@2.77.0", "lint", "--extends", "recommended-strict", document],
  [
    "@stoplight/spectral-cli@6.16.3",
    ...["lint", "--ruleset", "contract/documents/spectral.json", "--fail-severity", "hint", document],
  ],
])(
  "%s finds nothing in the OpenAPI document",
  (...words) => {
    const { status, stdout, stderr } = spawnSync("npx", ["--yes", "--ignore-scripts", ...words], {
      cwd: root,
      encoding: "utf8",
    });
    expect({ status, output: status === 0 ? "" : stdout + stderr }).toEqual({ status: 0, output: "" });
  },
  300_000,
);
