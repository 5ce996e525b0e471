import { expect, test } from "@jest/globals";
import { shownRun } from "./shown-run.ts";

const run = { repository: "ada/pong", commit: "c0ffee", runUrl: "https://github.com/ada/pong/actions/runs/1" };
const currentRelease = {
  ...{ id: "r", publishedAt: "", manifest: "", previous: null, places: { era: "", changes: [], counts: {} } },
  run: { ...run, accountKey: "ada" },
};

test.each([
  ["is shown if its owner says so", { showProvenance: true, ownerKey: "ada" }, true],
  ["is not shown if its owner says nothing", { ownerKey: "ada" }, false],
  ["is not shown if its owner says no", { showProvenance: false, ownerKey: "ada" }, false],
  ["of an earlier owner is not shown", { showProvenance: true, ownerKey: "grace" }, false],
])("the run of a live release %s", (_, project, isShown) => {
  expect(shownRun({ ...project, currentRelease })).toEqual(isShown ? currentRelease.run : undefined);
});
