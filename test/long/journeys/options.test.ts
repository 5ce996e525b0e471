import { globSync } from "node:fs";
import { basename } from "node:path";
import { afterEach, expect, test } from "@jest/globals";
import { failuresOf, useGuideCopy } from "../../support/guide.ts";

/* The rest is whole without an option: its folder and its lines in the lists are all that there is of it. */

const options = globSync("options/*/").map((path) => basename(path));

test("these features can be taken out", () => {
  expect(options.toSorted()).toEqual(["backup", "notices", "profiles", "reports", "saves", "statistics"]);
});

const { takeOut, putBack, types, synth, run } = useGuideCopy();
afterEach(putBack);

test.each(options)(
  "without %s types are right",
  async (option) => {
    await takeOut(option);
    expect(failuresOf(await types())).toBe("");
  },
  600_000,
);

test("without all of them types are right, a stage is synthesised, and tests of the core pass", async () => {
  for (const option of options) await takeOut(option);
  expect(failuresOf(await types())).toBe("");
  const template = await synth("production");
  expect(template).toContain("svc-production-create-token");
  for (const name of ["deliver-notices", "create-telemetry-grant", "get-statistics"])
    expect(template).not.toContain(`svc-production-${name}`);
  // The rooms that know options, and a request through all of them. Others expect notices that the core writes for this option alone.
  const core = [
    "functions/(domain|http|origin|table)/",
    "functions/new-route",
    "local/configuration",
    "test/api/tokens/",
  ];
  expect(failuresOf(await run("test", "--", ...core, "--testPathIgnorePatterns", "/options/", "/test/long/"))).toBe("");
}, 900_000);
