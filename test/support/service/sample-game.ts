import { defaultSettings, type ReleaseSettings } from "../../../contract/api/releases/release-settings.ts";
import type { ReleaseFile, ReleaseFiles } from "../../../edge/content/resolve.ts";
import type { Project } from "../../../edge/pages/respond-early.ts";
import type { EdgeRequest } from "../../../edge/request.ts";
import { respond } from "../../../edge/respond.ts";

/*
 * A game with a live, a previous and an isolated release, for tests of edge/ as a pure function.
 */

/** A SHA-256 in hex that is one letter repeated. */
export const hash = (letter: string) => letter.repeat(64);
/** The names of its releases. */
export const [liveRelease, previousRelease, fixedRelease] = ["1".repeat(43), "2".repeat(43), "3".repeat(43)];

/** A release with these files by path. */
export function release(
  files: Readonly<Record<string, ReleaseFile>>,
  settings: Partial<ReleaseSettings> = {},
): ReleaseFiles {
  return { settings: { ...defaultSettings, ...settings }, find: (path) => files[path] };
}

/** A file of a release, whose hash is one letter repeated. */
export const file = (letter: string, size = 100, br?: ReleaseFile): ReleaseFile => ({ sha256: hash(letter), size, br });

const live = release(
  {
    "index.html": file("a"),
    "game.js": file("b", 100, { sha256: hash("c"), size: 40 }),
    "level/index.html": file("d"),
    "plain.js.br": file("e", 100, { sha256: hash("f"), size: 10 }),
    "assets/x.js": file("9"),
    "assets/page.html": file("8"),
    empty: file("7", 0),
  },
  { immutable: ["assets/**"] },
);
const previous = release({ "index.html": file("4"), "old.js": file("5"), "sw.js": file("6") });
const isolated = release({ "own.js": file("0"), "old.js": file("0") }, { isolation: true });

/** The pointer of the project: its live release and the one before it. */
export const project: Project = { kind: "live", live: liveRelease, earlier: [previousRelease, fixedRelease] };
export const manifests = new Map([
  [liveRelease, live],
  [previousRelease, previous],
  [fixedRelease, isolated],
]);

/** The response of the game's own origin to a request. */
export async function ask(
  target: string,
  headers: EdgeRequest["headers"] = {},
  options: {
    method?: string;
    of?: Project;
    reportUrl?: string;
    /** Settings of the live release, beside those that it has. */
    settings?: Partial<ReleaseSettings>;
    files?: Readonly<Record<string, ReleaseFile>>;
  } = {},
) {
  const { method = "GET", of = project, reportUrl, settings, files = {} } = options;
  const changed: ReleaseFiles = {
    settings: { ...live.settings, ...settings },
    find: (path) => files[path] ?? live.find(path),
  };
  const readManifest = async (digest: string) => (digest === liveRelease ? changed : manifests.get(digest));
  return await respond({ method, target, headers }, of, { readManifest, reportUrl });
}

/** The headers of a visitor whose visit began with the release of this digest. */
export const cookie = (digest: string) => ({ cookie: `a=b; __Host-svc-release=${digest}` });
/** The headers of a browser that opens a page. */
export const page = { "sec-fetch-dest": "document" };
/** The letter of the hash of the object that is sent; the status if none is. */
export const sent = async (target: string, headers?: EdgeRequest["headers"]) => {
  const { status, body } = await ask(target, headers);
  return body !== undefined && "sha256" in body ? body.sha256[0] : status;
};
