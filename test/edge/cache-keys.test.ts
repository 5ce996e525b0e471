import { beforeAll, describe, expect, test } from "@jest/globals";
import { ReleasedGame } from "../support/edge/released-game.ts";
import { gamesDomain, TestLocation, useEdge } from "../support/edge/suite.ts";
import { storeOf } from "../support/edge/viewer-runtime.ts";
import { sha256 } from "../support/service/steps.ts";

/*
 * A stranger chooses no key of the cache: each made-up header and each spelling of a path is the same miss, once.
 */

const edge = useEdge();
const [older, newer] = ["older", "newer"].map((text) => `${text} data `.repeat(30_000)) as [string, string];
const named = `/.well-known/svc/files/${sha256(newer)}/data bin.bin`;
const values = new Map<string, string>();

beforeAll(async () => {
  const game = new ReleasedGame("my-game");
  const page = { "index.html": "<!doctype html>", "ä (1)'+&=.js": "let x;" };
  game.goLive(await game.store({ ...page, "data bin.bin": older }));
  const files = { ...page, "data bin.bin": newer };
  game.goLive(await game.store(files, {}, { "data bin.bin": [older] }, ["data bin.bin"]));
  values.set("my-game", game.pointer);
});

/** Counts what came to the origin for requests with these paths and headers. */
async function missesOf(requests: readonly (readonly [path: string, headers: Readonly<Record<string, string>>])[]) {
  const location = new TestLocation(edge, storeOf(values));
  const seen = new Set<string>();
  for (const [path, headers] of requests) {
    const { status, headers: got } = await location.play(`my-game.${gamesDomain}`, { path, headers });
    seen.add(`${status} ${got["content-encoding"] ?? "identity"}`);
  }
  await location.stop();
  return { misses: location.counts.misses, seen: [...seen] };
}

const dictionary = (digest: string) => ({ "accept-encoding": "br, dcz", "available-dictionary": `:${digest}:` });
const madeUp = Array.from({ length: 20 }, (_, index) =>
  Buffer.from(sha256(`made up ${index}`), "hex").toString("base64"),
);
const known = Buffer.from(sha256(older), "hex").toString("base64");
const encodedName = named.replace(" ", "%20");

describe("a stranger", () => {
  test("makes one miss with twenty dictionaries that no release has a delta from", async () => {
    const requests = madeUp.map((digest) => [encodedName, dictionary(digest)] as const);
    expect(await missesOf(requests)).toEqual({ misses: 1, seen: ["200 br"] });
  });

  test("makes one miss with a dictionary at files that have no delta from it", async () => {
    const path = "/%C3%A4%20(1)'+&=.js";
    const requests = [known, ...madeUp].map((digest) => [path, dictionary(digest)] as const);
    expect(await missesOf([...requests, [path, { "accept-encoding": "br" }]])).toEqual({
      misses: 1,
      seen: ["200 identity"],
    });
  });

  test("gets the delta from the one that the release knows", async () => {
    const requests = [known, ...madeUp, known].map((digest) => [encodedName, dictionary(digest)] as const);
    expect(await missesOf(requests)).toEqual({ misses: 2, seen: ["200 dcz", "200 br"] });
  });

  test.each([
    ["a file", "/%C3%A4%20(1)'+&=.js", "200 identity"],
    ["a file by its content", encodedName, "200 identity"],
    ["the own URL of a large file", "/data%20bin.bin", "307 identity"],
    ["a missing file", "/none.txt", "404 identity"],
  ])("makes one miss with twenty spellings of %s", async (_, path, response) => {
    const characters = [...path.slice(1)].flatMap((character, index) => (/\w/.test(character) ? [index + 1] : []));
    const isEscaped = (index: number) => /%.?$/.test(path.slice(0, index));
    const spellings = characters
      .filter((index) => !isEscaped(index))
      .slice(-20)
      .map((index) => `${path.slice(0, index)}%${path.charCodeAt(index).toString(16)}${path.slice(index + 1)}`);
    const marks = ["'", "(", ")", "+", "&", "=", "!"].filter((mark) => path.includes(mark));
    const escaped = marks.map((mark) => path.replace(mark, `%${mark.charCodeAt(0).toString(16).toUpperCase()}`));
    const lower = path.replace(/%../g, (triple) => triple.toLowerCase());
    const all = [path, lower, `${path}?v=2`, path.replaceAll("/", "%2f").replace("%2f", "/"), ...escaped, ...spellings];
    expect(await missesOf(all.map((each) => [each, {}]))).toEqual({ misses: 1, seen: [response] });
  });
});
