import { expect, test } from "@jest/globals";
import { brokenRules, type MeasuredBuild, portals } from "./portals.ts";

const fitting: MeasuredBuild = {
  files: [{ path: "index.html", size: 1_000 }],
  firstBytes: 1_000,
  memoryBytes: 1_000_000,
  otherHosts: [],
  absolutePaths: [],
};

const files = (count: number, size = 1) =>
  Array.from({ length: count }, (_, index) => ({ path: `${index}.png`, size }));

function namesOfRefusing(build: Partial<MeasuredBuild>): string[] {
  return portals.filter((portal) => brokenRules(portal, { ...fitting, ...build }).length > 0).map(({ name }) => name);
}

test("a small game fits everywhere, and every portal names a source that was read on a day", () => {
  expect(portals.map(({ name }) => name)).toEqual([
    ...["itch.io", "CrazyGames", "Poki", "YouTube Playables", "Discord", "Newgrounds"],
  ]);
  expect(namesOfRefusing({})).toEqual([]);
  for (const { source, readOn } of portals) {
    expect(new URL(source).protocol).toBe("https:");
    expect(readOn).toMatch(/^\d{4}-\d\d-\d\d$/);
  }
});

test.each<[string, Partial<MeasuredBuild>, Partial<MeasuredBuild>, string[]]>([
  ["files", { files: files(1_000) }, { files: files(1_001) }, ["itch.io"]],
  ["files of CrazyGames", { files: files(1_000) }, { files: files(1_501) }, ["itch.io", "CrazyGames"]],
  ["the bytes of a file", { files: files(1, 31_457_280) }, { files: files(1, 31_457_281) }, ["YouTube Playables"]],
  ["bytes in all", { files: files(10, 25_000_000) }, { files: files(10, 25_000_001) }, ["CrazyGames"]],
  ["bytes at first", { firstBytes: 31_457_280 }, { firstBytes: 31_457_281 }, ["YouTube Playables"]],
  ["bytes at first of CrazyGames", {}, { firstBytes: 50_000_001 }, ["CrazyGames", "YouTube Playables"]],
  ["memory", { memoryBytes: 512_000_000 }, { memoryBytes: 512_000_001 }, ["YouTube Playables"]],
  ["unknown memory", {}, { memoryBytes: undefined }, []],
  [
    "a long path",
    { files: [{ path: "a".repeat(240), size: 1 }] },
    { files: [{ path: "a".repeat(241), size: 1 }] },
    ["itch.io"],
  ],
  ["other hosts", {}, { otherHosts: ["cdn.example"] }, ["Poki", "YouTube Playables", "Discord", "Newgrounds"]],
  ["a path that begins with a slash", {}, { absolutePaths: ["/game.js"] }, ["YouTube Playables"]],
])("by %s", (_, allowed, refused, names) => {
  expect(namesOfRefusing(allowed)).toEqual([]);
  expect(namesOfRefusing(refused)).toEqual(names);
});
