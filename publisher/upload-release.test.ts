import { expect, test } from "@jest/globals";
import type { PutResponse } from "../contract/api/releases/store-response.ts";
import { ApiError } from "../contract/api-error.ts";
import type { Client } from "../contract/client.ts";
import type { KnownParts } from "../contract/folder/known-parts.ts";
import type { UploadContent } from "./ports.ts";
import type { Progress } from "./progress.ts";
import { type OpenedRelease, uploadRelease } from "./upload-release.ts";

const part = 5 * 1024 ** 2;
const large = { path: "large", sha256: "large", size: 4 * part };
const files = [...["a", "b", "c"].map((path) => ({ path, sha256: path, size: 10 })), large];
const incomplete = new ApiError({ code: "release_incomplete", detail: "", status: 409 });

/** Uploads a release of which these files are missing, each time it is opened. */
async function uploading(
  missing: readonly string[][],
  activate: () => Promise<object>,
  other: readonly string[] = [],
  known: KnownParts = new Map(),
) {
  const [stored, told]: [string[], (string | number)[]] = [[], []];
  const lists = [...missing];
  const urls = [2, 3, 4].map((number) => ({ number, url: `${number}`, headers: {} }));
  const partLists = [
    { stored: false, parts: urls, expires_at: "2126-01-01T00:00:00Z" },
    { stored: true, parts: [] },
  ];
  const next = () =>
    ({ release: { id: "r1" }, missing: lists.shift() ?? [], first_uploads: null }) as unknown as OpenedRelease;
  const call = async (line: string, { body }: { body: { sha256: string[] } }) => {
    if (line === "POST /projects/:slug/releases") return next();
    if (line.endsWith("/publish")) return await activate();
    // Of the large file the service has copied the first part.
    if (line.endsWith(":sha256")) return partLists.shift();
    const uploads = body.sha256.map((sha256) => ({ sha256, url: sha256, headers: {} }));
    return { uploads, expires_at: "2126-01-01T00:00:00Z" };
  };
  const progress: Progress = {
    start: (phase, total) => told.push(`${phase} ${total.files} files, ${total.bytes} bytes`),
    add: (done) => told.push(done.files > 0 ? "file" : done.bytes),
    grow: (bytes) => told.push(`${bytes / part} parts more`),
    end: () => told.push("end"),
  };
  const result = await uploadRelease<UploadContent>({
    ...{ client: { call } as unknown as Client, slug: "game", body: { files: [] }, opened: next(), known, progress },
    ...{ destination: { expectCurrent: null }, onActivation: () => told.push("activation") },
    patience: {
      ...{ longestMilliseconds: 0, tries: 1, signal: new AbortController().signal },
      ...{ onLost: () => {}, onResponse: () => {} },
    },
    filesOf: async (hashes) =>
      other.some((sha256) => hashes.has(sha256)) ? undefined : files.filter(({ sha256 }) => hashes.has(sha256)),
    openSender: () => ({
      ...{ filesAtOnce: 1, partsAtOnce: 1, urlsPerCall: 10 },
      open:
        ({ sha256 }) =>
        async () => {
          stored.push(sha256);
          return { status: 200, code: undefined } satisfies PutResponse;
        },
      read: async () => new Uint8Array(),
      openBytes: () => async () => ({ status: 200, code: undefined }),
      partsOf: async () => ["1", "2", "3", "4"],
      explain: (failure) => failure,
      close: () => {},
    }),
  }).catch((failure: unknown) => failure);
  return { result, stored, told };
}

const live = { release: { id: "r1", status: "live", play_url: null }, previous_release: null, edge: "updated" };
const activation = { release: live.release, previousRelease: null, playUrl: null, edge: "updated", expiresAt: null };

/** Fails so often as if files were missing still. */
function activating(failures: number) {
  let left = failures;
  return async () => {
    left -= 1;
    if (left >= 0) throw incomplete;
    return live;
  };
}

test("what is missing is sent and told, and then that the release is activated", async () => {
  const { result, stored, told } = await uploading([["a", "b"]], activating(0));
  expect(result).toEqual({ activation, amount: { sent: 20, known: 0 } });
  expect(stored).toEqual(["a", "b"]);
  expect(told).toEqual(["Uploading 2 files, 20 bytes", 10, "file", 10, "file", "end", "activation"]);
});

test("if nothing is missing nothing is sent, and nothing told", async () => {
  expect(await uploading([[]], activating(0))).toEqual({
    result: { activation, amount: { sent: 0, known: 0 } },
    ...{ stored: [], told: ["activation"] },
  });
});

test("parts that the service has are not among what is sent, and one that it has not after all is", async () => {
  const known = new Map([["large", [1, 2].map((number) => ({ number, sha256: "old", offset: number * part }))]]);
  const { result, told } = await uploading([["large"]], activating(0), [], known);
  expect(result).toEqual({ activation, amount: { sent: 3 * part, known: part } });
  expect(told.slice(0, 2)).toEqual([`Uploading 1 files, ${2 * part} bytes`, "1 parts more"]);
});

test("files that are missing still are sent again, twice at most", async () => {
  const lists = [["a", "b"], ["b"], ["c"]];
  const { result, stored } = await uploading(lists, activating(2));
  expect(result).toEqual({ activation, amount: { sent: 40, known: 0 } });
  expect(stored).toEqual(["a", "b", "b", "c"]);
  expect((await uploading(lists, activating(3))).result).toBe(incomplete);
});

test("another failure of the activation is not a reason to send anything again", async () => {
  const failure = new ApiError({ code: "current_release_changed", detail: "", status: 412 });
  const { result, stored } = await uploading([["a"], ["b"]], () => Promise.reject(failure));
  expect({ result, stored }).toEqual({ result: failure, stored: ["a"] });
});

test("files that are others by now are not sent, and the release does not go live", async () => {
  const activate = () => Promise.reject(new Error("It is not to go live."));
  expect(await uploading([["a"]], activate, ["a"])).toEqual({ result: undefined, stored: [], told: [] });
});
