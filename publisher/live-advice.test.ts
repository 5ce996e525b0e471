import { expect, test } from "@jest/globals";
import { defaultSettings, type ReleaseSettings } from "../contract/api/releases/release-settings.ts";
import type { Client } from "../contract/client.ts";
import { adviceInWords } from "../contract/folder/advice.ts";
import { adviceBesideLive } from "./live-advice.ts";
import type { OpenedRelease } from "./upload-release.ts";

interface Update {
  readonly live?: Partial<ReleaseSettings>;
  readonly next?: Partial<ReleaseSettings>;
  readonly files: Readonly<Record<string, number>>;
  readonly changed?: readonly string[];
  readonly added?: readonly string[];
  /** The API names only the first files that were added. */
  readonly addedCount?: number;
  readonly withDeltas?: readonly string[];
}

/** The advice about an update, and how many requests it took. */
async function adviceOf({ live = {}, next = {}, files, changed = [], added = [], ...more }: Update) {
  const [before, settings] = [live, next].map((changes) => ({ ...defaultSettings, ...changes }));
  const names = ["isolation", "immutable"] as const;
  const opened = {
    current_release: "r1",
    settings,
    changed_settings: names.filter((name) => String(before?.[name]) !== String(settings?.[name])),
    changed: { count: changed.length, paths: changed },
    added: { count: more.addedCount ?? added.length, paths: added },
  } as unknown as OpenedRelease;
  const requests: string[] = [];
  const call = async (line: string) => {
    requests.push(line);
    return { settings: before };
  };
  const client = { call: call as unknown as Client["call"] } as Client;
  const listed = Object.entries(files).map(([path, size]) => ({ path, size }));
  const withDeltas = new Set(more.withDeltas);
  const advice = await adviceBesideLive({ client, slug: "game" }, { files: listed, withDeltas }, opened);
  return { sentences: advice.map((one) => adviceInWords(one)), requests: requests.length };
}

const changedBytes = (some: string) =>
  `${some} has other bytes than in the live release, but browsers keep what is immutable for a year: give changed files new names.`;
const withoutIsolation = (some: string) =>
  `${some} may be kept by browsers without the headers of isolation, and an isolated page refuses such a worker: give scripts new names.`;
const assets = { immutable: ["assets/**"] };
const mebibyte = 1_048_576;

test("a large file that is compressed as a whole is named once it has changed, unless returning players load a part of it", async () => {
  const files = { "game.data.gz": mebibyte, "levels.ZIP": mebibyte, "small.zip": mebibyte - 1, "open.pck": mebibyte };
  const changed = ["game.data.gz", "small.zip", "open.pck"];
  expect((await adviceOf({ files })).sentences).toEqual([]);
  expect((await adviceOf({ files, changed })).sentences).toEqual([
    "game.data.gz is compressed by the build, so returning players load all 1.0 MiB again after each change: export uncompressed; svc compresses it.",
  ]);
  expect((await adviceOf({ files, changed, withDeltas: ["game.data.gz"] })).sentences).toEqual([]);
});

test.each<[string, Update, string[]]>([
  [
    "an immutable path whose bytes changed is named",
    { live: assets, next: assets, files: { "assets/a.txt": 1, "b.txt": 1 }, changed: ["assets/a.txt", "b.txt"] },
    [changedBytes("assets/a.txt")],
  ],
  [
    "of two the first is named, and how many there are",
    { live: assets, next: assets, files: {}, changed: ["assets/a.txt", "assets/b.txt"] },
    [changedBytes("assets/a.txt and 1 more")],
  ],
  [
    "so is one that is immutable no more",
    { live: assets, files: {}, changed: ["assets/a.txt"] },
    [changedBytes("assets/a.txt")],
  ],
  ["one that becomes immutable is not", { next: assets, files: {}, changed: ["assets/a.txt"] }, []],
])("what browsers keep: %s", async (_, update, expected) => {
  expect((await adviceOf(update)).sentences).toEqual(expected);
});

const scripts = {
  "index.html": 1,
  "assets/a.js": 1,
  "assets/b.mjs": 1,
  "assets/a.txt": 1,
  "assets/new.js": 1,
  "main.js": 1,
};
const isolated: Update = {
  live: assets,
  next: { ...assets, isolation: true },
  files: scripts,
  added: ["assets/new.js"],
};
const named = [withoutIsolation("assets/a.js and 1 more")];

test.each<[string, Update, string[]]>([
  ["immutable scripts from before it are named, new ones are not", isolated, named],
  ["so they are without credentials", { ...isolated, next: { ...assets, isolation: "credentialless" } }, named],
  ["none is named if the live release is isolated already", { ...isolated, live: isolated.next ?? {} }, []],
  ["none if it ends", { ...isolated, live: isolated.next ?? {}, next: assets }, []],
  ["none that was not immutable before", { ...isolated, live: {} }, []],
  ["none if more files are new than the service names", { ...isolated, addedCount: 2 }, []],
])("isolation: %s", async (_, update, expected) => {
  expect((await adviceOf(update)).sentences).toEqual(expected);
});

test("the live release's settings are read only if they differ", async () => {
  expect((await adviceOf({ ...isolated, live: isolated.next ?? {} })).requests).toBe(0);
  expect((await adviceOf(isolated)).requests).toBe(1);
});
