import { readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { viewerBundles } from "./viewer-bundles.ts";
import { type ViewerFunction, viewerFunctionCode, viewerFunctions } from "./viewer-functions.ts";

const folder = "build/viewer";
const settings = { gamesDomain: "cached.example.net", reportUrl: "", optionPages: [], documentHeaders: {} };
const code = { "viewer-request": "request", "viewer-response": "response" };
/** Path of the kept bundles. */
let path: string;

const isOfTheseSettings = (file: string) => readFileSync(file, "utf8").includes(settings.gamesDomain);

beforeEach(async () => {
  const { "viewer-request": built } = await viewerBundles(settings);
  expect(built).toContain(settings.gamesDomain);
  const files = readdirSync(folder).filter((name) => name.endsWith(".json"));
  path = files.map((name) => join(folder, name)).find(isOfTheseSettings) ?? "";
});
afterEach(() => rmSync(path, { force: true }));

test("the file is as old as the beginning of its making, because a source that changes meanwhile may not be in it", async () => {
  rmSync(path);
  const making = viewerBundles(settings);
  const begun = Date.now();
  await making;
  expect(statSync(path).mtimeMs).toBeLessThanOrEqual(begun);
});

test("the file of an earlier call is taken if no source is newer", async () => {
  writeFileSync(path, JSON.stringify(code));
  expect(await viewerBundles(settings)).toEqual(code);
});

test.each([
  "edge/visit/visit.ts",
  "contract/api/projects/slug.ts",
  "contract/folder/file-rules.ts",
  "package-lock.json",
])("if %s is newer, the code is built anew", async (source) => {
  const { atime, mtime } = statSync(source);
  writeFileSync(path, JSON.stringify(code));
  utimesSync(source, atime, new Date(statSync(path).mtimeMs + 1));
  try {
    expect((await viewerBundles(settings))["viewer-request"]).toContain(settings.gamesDomain);
  } finally {
    utimesSync(source, atime, mtime);
  }
});

/** A change that takes room lowers the number. */
const room: Readonly<Record<ViewerFunction, number>> = {
  "viewer-request": 15,
  "viewer-own": 508,
  "viewer-response": 5_000,
};

test.each(viewerFunctions)("%s leaves room in CloudFront's 10,240 bytes with the longest settings", (name) => {
  const reportUrl = `https://example.com/${"x".repeat(280)}`;
  const code = viewerFunctionCode(name, {
    gamesDomain: `${"x".repeat(60)}.${"y".repeat(60)}.example.net`,
    reportUrl,
    optionPages: ["/.well-known/svc/profile", "/.well-known/svc/saves"],
    offlinePages: ["/.well-known/svc/saves"],
    documentHeaders: {
      reports: { "reporting-endpoints": 'crash-reporting="/.well-known/svc/reports/{site}/{release}"' },
    },
  });
  expect(10_240 - Buffer.byteLength(code)).toBeGreaterThanOrEqual(room[name]);
});
