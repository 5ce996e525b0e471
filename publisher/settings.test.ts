import { expect, test } from "@jest/globals";
import type { ReleaseSettings } from "../contract/api/releases/release-settings.ts";
import type { ProjectFile } from "../contract/folder/project-file.ts";
import { freshBeginning } from "./beginning.ts";
import { type Choices, type DecidedSettings, keptWith, settingsFrom, switchesFor } from "./settings.ts";

type Name = "isolation" | "spa" | "immutable";

/** Values of one switch by who sets it; undefined: nothing. Of the two others each says the opposite. */
interface Deciders {
  readonly file?: boolean;
  readonly person?: boolean;
  readonly kept?: boolean;
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
  immutable: ["kept/*"],
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
  readonly kept?: DecidedSettings | undefined;
}) {
  const { file = {}, choices = { leftOut: [] }, kept: settings = off } = given;
  const sources = { file, choices, decided: settings, live: undefined, threads: undefined, hashedNames: "assets/**" };
  const switches = switchesFor(sources);
  return { switches, settings: settingsFrom(switches, sources) };
}

test("svc.toml decides all; without it a first release is not isolated, sent by its paths alone, and shown in a frame by everybody", () => {
  const file: ReleaseSettings = { ...on, frame: "nobody", preload: ["b"], updates: "whole" };
  expect(decided({ file }).settings).toEqual(file);
  const sources = { ...freshBeginning, file: { project: "bounce" }, threads: undefined, hashedNames: "assets/**" };
  expect(settingsFrom(switchesFor(sources), sources)).toEqual(off);
});

function decidedBy(name: Name, { file, person, kept }: Deciders) {
  const besideOpposites = <T extends object>(isOn: boolean, all: (isOn: boolean) => T, value: keyof T): T => ({
    ...all(!isOn),
    [value]: all(isOn)[value],
  });
  return decided({
    ...(file !== undefined && { file: besideOpposites(file, (isOn) => (isOn ? fileOn : fileOff), name) }),
    ...(person !== undefined && { choices: besideOpposites(person, allChosen, name) }),
    ...(kept !== undefined && { kept: besideOpposites(kept, (isOn) => (isOn ? on : off), name) }),
  });
}

const cases: readonly [string, Deciders, isOn: boolean, by: string, patterns: string][] = [
  ["nobody", {}, false, "nobody", "assets/**"],
  ["an earlier decision for it", { kept: true }, true, "kept", "kept/*"],
  ["an earlier decision against it", { kept: false }, false, "nobody", "assets/**"],
  ["the person, for it", { person: true, kept: false }, true, "person", "assets/**"],
  ["the person, against the earlier decision", { person: false, kept: true }, false, "person", "kept/*"],
  ["svc.toml, for it", { file: true, person: false, kept: false }, true, "file", "file/*"],
  ["svc.toml, against all others", { file: false, person: true, kept: true }, false, "file", ""],
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
  ["svc.toml", { file: { isolation: "credentialless" }, kept: on }, "credentialless"],
  ["svc.toml alone", { file: { isolation: true }, kept: { ...on, isolation: "credentialless" } }, true],
  [
    "the earlier decision",
    { choices: allChosen(true), kept: { ...on, isolation: "credentialless" } },
    "credentialless",
  ],
] as const)("the kind of isolation is that of %s", (_, deciders, kind) => {
  expect(decided(deciders).settings.isolation).toBe(kind);
});

const threads = { path: "game.worker.js", evidence: "worker" } as const;

test("isolation that somebody turned off stays off, though the build has threads, until a person turns it on", () => {
  const given = { file: {}, threads, hashedNames: undefined };
  const isolation = (decided: DecidedSettings, choices: Choices = { leftOut: [] }) =>
    switchesFor({ ...given, live: off, decided, choices }).isolation;
  expect(isolation(off)).toMatchObject({ isOn: true, by: "build", live: false });
  expect(isolation({ ...off, isolationOff: true })).toMatchObject({ isOn: false, by: "nobody", live: false });
  expect(isolation({ ...off, isolationOff: true }, allChosen(true))).toMatchObject({ isOn: true, by: "person" });
});

test("each switch says what is live, whatever was decided", () => {
  const lives = (live: ReleaseSettings | undefined) => {
    const given = { file: fileOff, choices: allChosen(true), decided: on, threads: undefined, hashedNames: undefined };
    const { isolation, spa, immutable, frame } = switchesFor({ ...given, live });
    return [isolation.live, spa.live, immutable.live, frame.live];
  };
  expect(lives({ ...on, frame: "nobody" })).toEqual([true, true, true, "nobody"]);
  expect(lives(off)).toEqual([false, false, false, "everybody"]);
  expect(lives(undefined)).toEqual([undefined, undefined, undefined, undefined]);
});

test.each([
  ["turned off by a person", { choices: allChosen(false) }, true],
  ["off by an earlier decision", { kept: { ...off, isolationOff: true } }, true],
  ["off by svc.toml", { file: fileOff }, false],
  ["on", {}, false],
])("isolation of a build with threads that is %s is kept as turned off: %#", (_, given, isOff) => {
  const { file = {}, choices = { leftOut: [] }, kept = off } = given as Parameters<typeof decided>[0];
  const sources = { file, choices, decided: kept, live: undefined, hashedNames: undefined };
  const { isolation } = switchesFor({ ...sources, threads });
  expect(keptWith(choices, isolation).isolation_off).toBe(isOff);
});

test("what the service does not take of a choice is not sent", () => {
  const { isolation } = decided({}).switches;
  const leftOut = ["a/", "b".repeat(251), "\ud800", ...Array.from({ length: 200 }, (_, index) => `${index}.txt`)];
  const sent = keptWith({ leftOut, page: "c".repeat(251) }, isolation);
  expect(sent.left_out.slice(0, 2)).toEqual(["a/", "0.txt"]);
  expect(sent.left_out).toHaveLength(100);
  expect(sent).not.toHaveProperty("index");
});

test.each<[string, Parameters<typeof decided>[0], ReleaseSettings["updates"]]>([
  ["nobody", {}, "content"],
  ["an earlier decision for it", { kept: { ...on, updates: "whole" } }, "whole"],
  ["the person", { choices: { leftOut: [], whole: false }, kept: { ...on, updates: "whole" } }, "content"],
  ["svc.toml", { file: { updates: "whole" }, choices: { leftOut: [], whole: false } }, "whole"],
  ["svc.toml, against it", { file: { updates: "content" }, choices: { leftOut: [], whole: true } }, "content"],
])("that files are loaded whole is decided by %s", (_, deciders, updates) => {
  expect(decided(deciders).settings.updates).toBe(updates);
});
