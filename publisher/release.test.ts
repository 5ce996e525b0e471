import { createHash } from "node:crypto";
import { expect, test } from "@jest/globals";
import type { ManifestFile } from "../contract/api/releases/manifest-rules.ts";
import { defaultSettings } from "../contract/api/releases/release-settings.ts";
import { type NewRelease, releaseBody } from "./release.ts";

const nameOf = (text: string) => createHash("sha256").update(text).digest("hex");
const megabytes = (body: object) => Buffer.byteLength(JSON.stringify(body)) / 2 ** 20;

function release(files: readonly ManifestFile[], given: Partial<NewRelease> = {}): NewRelease {
  return { files, settings: defaultSettings, picture: undefined, choices: undefined, ...given };
}

/** So many files with a copy each, the later the better, and with a delta. */
function manyFiles(count: number): ManifestFile[] {
  return Array.from({ length: count }, (_, index) => ({
    path: `${"folder/".repeat(16)}${index}.bin`,
    size: 1_000_000,
    sha256: nameOf(`file ${index}`),
    br: { size: 600_000 - index, sha256: nameOf(`copy ${index}`) },
    deltas: [{ dictionary: nameOf(`old ${index}`), size: 100, sha256: nameOf(`delta ${index}`) }],
  }));
}

test("only what differs from the defaults is in the request", () => {
  const file = { path: "index.html", size: 1, sha256: nameOf("1") };
  expect(releaseBody(release([file]))).toEqual({ files: [file] });
  const settings = { ...defaultSettings, frame: "nobody" } as const;
  const description = { message: "Two worlds" };
  const given = { settings, description, picture: "cover.png", expectCurrent: null, isDryRun: true };
  expect(releaseBody(release([file], given))).toEqual({
    files: [file],
    message: "Two worlds",
    picture: "cover.png",
    settings: { frame: "nobody" },
    expect_current: null,
    dry_run: true,
  });
});

test("nothing that only the client knows of a file is in the request", () => {
  const content = { size: 100, sha256: nameOf("1"), parts: ["a"], location: "/home/ada/game.pck" };
  const index = { ...content, sha256: nameOf("index") };
  const file = { path: "game.pck", ...content, index, br: { ...content, index }, encoding: undefined };
  const named = { size: 100, sha256: nameOf("1"), index: { size: 100, sha256: nameOf("index") } };
  expect(releaseBody(release([file])).files).toEqual([{ path: "game.pck", ...named, br: named }]);
});

test.each([
  ["of a small file", { size: 1_000 }, {}, 0],
  ["of a file of some size", {}, {}, 1],
  ["if every file comes from its own URL", {}, { updates: "whole" as const }, 0],
  ["that saves less than half of the copy", { br: { size: 150, sha256: nameOf("b") } }, {}, 0],
])("a delta %s is sent only if a browser takes it and it saves enough", (_, changes, settings, count) => {
  const [file] = manyFiles(1).map(({ br: _br, ...rest }) => rest);
  const body = releaseBody(
    release([{ ...(file as ManifestFile), ...changes }], { settings: { ...defaultSettings, ...settings } }),
  );
  expect(body.files[0]?.deltas?.length ?? 0).toBe(count);
});

test("a list that is too long for a request lacks deltas, then the copies that save least, and then it is refused", () => {
  const few = releaseBody(release(manyFiles(12_000)));
  expect(megabytes(few)).toBeLessThan(5);
  expect(few.files.some(({ deltas }) => deltas)).toBe(false);
  expect(few.files.every(({ br }) => br)).toBe(true);
  const half = releaseBody(release(manyFiles(19_000).map(({ deltas: _, ...file }) => file)));
  expect(megabytes(half)).toBeLessThan(5);
  const firstWithCopy = half.files.findIndex(({ br }) => br);
  expect(firstWithCopy).toBeGreaterThan(0);
  expect(half.files.slice(firstWithCopy).every(({ br }) => br)).toBe(true);
  const long = manyFiles(15_000).map(({ path, size, sha256 }) => ({ path: "x".repeat(200) + path, size, sha256 }));
  expect(() => releaseBody(release(long))).toThrow(
    expect.objectContaining({ reason: { code: "manifest_too_large", bytes: expect.any(Number) } }),
  );
});
