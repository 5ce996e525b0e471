import { expect, test } from "@jest/globals";
import type { ReleaseSettings } from "../../../contract/api/release-settings.ts";
import type { ProjectFile } from "../../../contract/folder/project-file.ts";
import { type Choices, keptWith, type LiveSettings, settingsFrom, switchesFor, wordsFor } from "./choices.ts";
import { withPicture } from "./chosen-picture.ts";

type Name = "isolation" | "spa" | "immutable";

/** Values of one switch by who sets it; undefined: nothing. Of the two others each says the opposite. */
interface Deciders {
  readonly file?: boolean;
  readonly person?: boolean;
  readonly live?: boolean;
}

const off: ReleaseSettings = {
  isolation: false,
  immutable: [],
  spa: false,
  frame: "everybody",
  preload: [],
  updates: "content",
};
const on: ReleaseSettings = {
  isolation: true,
  immutable: ["live/*"],
  spa: true,
  frame: "everybody",
  preload: [],
  updates: "content",
};
const fileOff = { isolation: false, immutable: [], spa: false } satisfies ProjectFile;
const fileOn = { isolation: true, immutable: ["file/*"], spa: true } satisfies ProjectFile;
const allChosen = (isOn: boolean) => ({ leftOut: [], isolation: isOn, spa: isOn, immutable: isOn }) satisfies Choices;

function decided(given: {
  readonly file?: ProjectFile;
  readonly choices?: Choices;
  readonly live?: LiveSettings | undefined;
}) {
  const { file = {}, choices = { leftOut: [] }, live } = given;
  const switches = switchesFor({ file, choices, live, threads: undefined, hashedNames: "assets/**" });
  return { switches, settings: settingsFrom(switches, { file, live }) };
}

function decidedBy(name: Name, { file, person, live }: Deciders) {
  const besideOpposites = <T extends object>(isOn: boolean, all: (isOn: boolean) => T, value: keyof T): T => ({
    ...all(!isOn),
    [value]: all(isOn)[value],
  });
  return decided({
    ...(file !== undefined && { file: besideOpposites(file, (isOn) => (isOn ? fileOn : fileOff), name) }),
    ...(person !== undefined && { choices: besideOpposites(person, allChosen, name) }),
    ...(live !== undefined && { live: besideOpposites(live, (isOn) => (isOn ? on : off), name) }),
  });
}

const cases: readonly [string, Deciders, isOn: boolean, by: string, patterns: string][] = [
  ["nobody", {}, false, "nobody", "assets/**"],
  ["a live release that has it", { live: true }, true, "live", "live/*"],
  ["a live release without it", { live: false }, false, "nobody", "assets/**"],
  ["the person, for it", { person: true, live: false }, true, "person", "assets/**"],
  ["the person, against the live release", { person: false, live: true }, false, "person", "live/*"],
  ["svc.toml, for it", { file: true, person: false, live: false }, true, "file", "file/*"],
  ["svc.toml, against all others", { file: false, person: true, live: true }, false, "file", ""],
];

test.each((["isolation", "spa", "immutable"] as const).flatMap((name) => cases.map((one) => [name, ...one] as const)))(
  "%s is decided by %s",
  (name, _, deciders, isOn, by, patterns) => {
    const { switches, settings } = decidedBy(name, deciders);
    expect(switches[name]).toMatchObject({ isOn, by });
    if (name !== "immutable") return expect(settings[name]).toBe(isOn);
    expect(switches.immutable.patterns.join()).toBe(patterns);
    expect(settings.immutable).toEqual(isOn ? [patterns] : []);
  },
);

test.each([
  ["svc.toml", { file: { isolation: "credentialless" }, live: on }, "credentialless"],
  ["svc.toml alone", { file: { isolation: true }, live: { ...on, isolation: "credentialless" } }, true],
  ["the live release", { choices: allChosen(true), live: { ...on, isolation: "credentialless" } }, "credentialless"],
] as const)("the kind of isolation is that of %s", (_, deciders, kind) => {
  expect(decided(deciders).settings.isolation).toBe(kind);
});

test("isolation that somebody turned off stays off, though the build has threads, until a person turns it on", () => {
  const given = { file: {}, threads: "It has workers", hashedNames: undefined };
  const isolation = (live: LiveSettings, choices: Choices = { leftOut: [] }) =>
    switchesFor({ ...given, live, choices }).isolation;
  expect(isolation(off)).toMatchObject({ isOn: true, by: "build", live: false });
  expect(isolation({ ...off, isolationOff: true })).toMatchObject({ isOn: false, by: "nobody", live: false });
  expect(isolation({ ...off, isolationOff: true }, allChosen(true))).toMatchObject({ isOn: true, by: "person" });
});

test("each switch says what is live, and nothing of a release that was live before", () => {
  const lives = (live: LiveSettings | undefined) => {
    const { isolation, spa, immutable, frame } = decided({ ...(live && { live }), file: fileOff }).switches;
    return [isolation.live, spa.live, immutable.live, frame.live];
  };
  expect(lives({ ...on, frame: "nobody" })).toEqual([true, true, true, "nobody"]);
  expect(lives(off)).toEqual([false, false, false, "everybody"]);
  for (const none of [undefined, { ...on, isPast: true }])
    expect(lives(none)).toEqual([undefined, undefined, undefined, undefined]);
});

test.each([
  ["turned off by a person", { choices: allChosen(false) }, true],
  ["off as in the live release", { live: { ...off, isolationOff: true } }, true],
  ["off by svc.toml", { file: fileOff }, false],
  ["on", {}, false],
])("isolation of a build with threads that is %s is kept as turned off: %#", (_, given, isOff) => {
  const { file = {}, choices = { leftOut: [] }, live } = given as Parameters<typeof decided>[0];
  const { isolation } = switchesFor({ file, choices, live, threads: "It has workers", hashedNames: undefined });
  expect(keptWith(choices, isolation).isolation_off).toBe(isOff);
});

test("what the service does not take of a choice is not sent", () => {
  const { isolation } = decided({}).switches;
  const leftOut = ["a/", "b".repeat(251), "\ud800", ...Array.from({ length: 200 }, (_, index) => `${index}.txt`)];
  const kept = keptWith({ leftOut, page: "c".repeat(251) }, isolation);
  expect(kept.left_out?.slice(0, 2)).toEqual(["a/", "0.txt"]);
  expect(kept.left_out).toHaveLength(100);
  expect(kept).not.toHaveProperty("index");
});

test.each<[string, Parameters<typeof decided>[0], ReleaseSettings["updates"]]>([
  ["nobody", {}, "content"],
  ["a live release that has it", { live: { ...on, updates: "whole" } }, "whole"],
  ["the person", { choices: { leftOut: [], whole: false }, live: { ...on, updates: "whole" } }, "content"],
  ["svc.toml", { file: { updates: "whole" }, choices: { leftOut: [], whole: false } }, "whole"],
  ["svc.toml, against it", { file: { updates: "content" }, choices: { leftOut: [], whole: true } }, "content"],
])("that files are loaded whole is decided by %s", (_, deciders, updates) => {
  expect(decided(deciders).settings.updates).toBe(updates);
});

test("a warning names the switch of what the person decides, and svc.toml of what it decides", () => {
  const texts = (file: ProjectFile) => {
    const { isolation, credentialless, spa, immutable } = wordsFor(file);
    return [isolation, credentialless, spa, immutable("a/*")];
  };
  const switches = [
    "the switch Threads",
    "the switch Threads",
    "the switch Single page",
    "the switch Keep in browsers",
  ];
  const inFile = [
    /^isolation = true/,
    /^isolation = true, or "credentialless"/,
    /^spa = true/,
    /^immutable = \["a\/\*"\]/,
  ];
  expect(texts({})).toEqual(switches);
  expect(texts(fileOff)).toEqual(inFile.map((text) => expect.stringMatching(text)));
});

test("a chosen picture takes the place of the folder's own at its path", async () => {
  const file = (path: string) => ({
    path,
    size: 1,
    stream: () => new Blob().stream(),
    blob: async () => new Blob(["x"]),
  });
  const picture = { path: "cover.png", bytes: btoa("mine") } as const;
  const files = withPicture(["zoo.js", "cover.png", "index.html"].map(file), picture, new Map());
  expect(files.map(({ path, size }) => [path, size])).toEqual([
    ["cover.png", 4],
    ["index.html", 1],
    ["zoo.js", 1],
  ]);
  expect(await (await files[0]?.blob())?.text()).toBe("mine");
});
