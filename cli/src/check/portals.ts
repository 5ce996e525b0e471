import { count, humanBytes } from "../text.ts";

/** Rules of a site on which games are played, as it publishes them. Undefined: it says nothing. */
export interface Portal {
  readonly name: string;
  readonly source: string;
  /** The day on which the source was read. */
  readonly readOn: string;
  readonly maxFiles?: number;
  /** Of all files. */
  readonly maxBytes?: number;
  readonly maxFileBytes?: number;
  /** Of what is loaded before the game can be played. */
  readonly maxFirstBytes?: number;
  readonly maxPathLength?: number;
  readonly maxMemoryBytes?: number;
  /** What the site does with requests to other hosts. */
  readonly otherHosts?: "blocked" | "unwanted";
  /** Whether a path of the page that begins with a slash leads nowhere. */
  readonly isBelowPath?: boolean;
}

const megabyte = 1_000_000;
const mebibyte = 1_024 ** 2;

/** By each site's document of this day; what a person there judges is not in it. */
export const portals: readonly Portal[] = [
  {
    name: "itch.io",
    source: "https://itch.io/docs/creators/html5#zip-file-requirements",
    readOn: "2026-11-29",
    maxFiles: 1_000,
    maxBytes: 500 * megabyte,
    maxFileBytes: 200 * megabyte,
    maxPathLength: 240,
  },
  {
    name: "CrazyGames",
    source: "https://docs.crazygames.com/requirements/technical/",
    readOn: "2026-11-29",
    maxFiles: 1_500,
    maxBytes: 250 * megabyte,
    maxFirstBytes: 50 * megabyte,
  },
  {
    name: "Poki",
    source: "https://sdk.poki.com/requirements.html",
    readOn: "2026-11-29",
    otherHosts: "blocked",
  },
  {
    name: "YouTube Playables",
    source: "https://developers.google.com/youtube/gaming/playables/certification/requirements_stability",
    readOn: "2026-11-29",
    maxBytes: 250 * mebibyte,
    maxFileBytes: 30 * mebibyte,
    maxFirstBytes: 30 * mebibyte,
    maxMemoryBytes: 512 * megabyte,
    otherHosts: "blocked",
    isBelowPath: true,
  },
  {
    name: "Discord",
    source: "https://docs.discord.com/developers/activities/development-guides/networking",
    readOn: "2026-11-29",
    otherHosts: "blocked",
  },
  {
    name: "Newgrounds",
    source: "https://www.newgrounds.com/wiki/help-information/terms-of-use/game-guidelines",
    readOn: "2026-11-29",
    otherHosts: "unwanted",
  },
];

/** What the rules are about. */
export interface MeasuredBuild {
  readonly files: readonly { readonly path: string; readonly size: number }[];
  /** What was loaded on the screen that loaded more. */
  readonly firstBytes: number;
  readonly memoryBytes: number | undefined;
  readonly otherHosts: readonly string[];
  readonly absolutePaths: readonly string[];
}

/** Rules of a portal that a build breaks, each as a sentence; none: it fits. */
export function brokenRules(portal: Portal, build: MeasuredBuild): string[] {
  const { files, firstBytes, memoryBytes, otherHosts, absolutePaths } = build;
  const total = files.reduce((sum, { size }) => sum + size, 0);
  const largest = files.reduce((most, file) => (file.size > most.size ? file : most), { path: "", size: 0 });
  const longest = files.reduce((most, { path }) => (path.length > most.length ? path : most), "");
  const [host] = otherHosts;
  const [path] = absolutePaths;
  return [
    isAbove(files.length, portal.maxFiles) && `${count(files.length, "file")}; at most ${portal.maxFiles}`,
    isAbove(total, portal.maxBytes) && `${humanBytes(total)}; at most ${humanBytes(portal.maxBytes ?? 0)}`,
    isAbove(largest.size, portal.maxFileBytes) &&
      `${largest.path} has ${humanBytes(largest.size)}; a file at most ${humanBytes(portal.maxFileBytes ?? 0)}`,
    isAbove(firstBytes, portal.maxFirstBytes) &&
      `loads ${humanBytes(firstBytes)} first; at most ${humanBytes(portal.maxFirstBytes ?? 0)}`,
    isAbove(longest.length, portal.maxPathLength) &&
      `a path of ${longest.length} characters; at most ${portal.maxPathLength}`,
    isAbove(memoryBytes ?? 0, portal.maxMemoryBytes) &&
      `needs ${humanBytes(memoryBytes ?? 0)} of memory; at most ${humanBytes(portal.maxMemoryBytes ?? 0)}`,
    host !== undefined && portal.otherHosts && `loads from ${host}, which is ${portal.otherHosts} there`,
    path !== undefined && portal.isBelowPath && `${path} begins with a slash; only relative paths work there`,
  ].filter((text) => typeof text === "string");
}

function isAbove(value: number, limit: number | undefined): boolean {
  return limit !== undefined && value > limit;
}
