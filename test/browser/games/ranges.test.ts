import { randomBytes } from "node:crypto";
import { brotliCompressSync, constants } from "node:zlib";
import { beforeEach, describe, expect, test } from "@jest/globals";
import { type Folder, makeLive, manifestOf, openRelease, sha256 } from "../../support/service/steps.ts";
import { useOwner, useService } from "../../support/service/suite.ts";
import { firefoxWithDictionaries, type PlayerFactory, playing, usePlayers } from "./players.ts";

/*
 * Parts of a file that a browser has whole already, and in Brotli: GDevelop's runtime loads each sound with `fetch`, then plays it with
 * `new Audio`.
 */

const service = useService();
const ada = useOwner(service);
const players = usePlayers();
// Firefox takes Brotli over https alone.
const overHttps = firefoxWithDictionaries();

/** So many seconds of noise as WAV, of 16,000 bytes each; it is a quarter in Brotli. */
function noise(seconds: number): Buffer {
  const [rate, bytes] = [8_000, seconds * 16_000];
  const header = Buffer.alloc(44);
  header.write("RIFF", 0);
  header.writeUInt32LE(36 + bytes, 4);
  header.write("WAVEfmt ", 8);
  for (const [offset, value] of [[16, 16], [24, rate], [28, rate * 2], [40, bytes]] as const) // biome-ignore format: pairs
    header.writeUInt32LE(value, offset);
  for (const [offset, value] of [[20, 1], [22, 1], [32, 2], [34, 16]] as const) // biome-ignore format: pairs
    header.writeUInt16LE(value, offset);
  header.write("data", 36);
  const random = randomBytes(bytes).map((byte) => byte & 3);
  return Buffer.concat([header, random]);
}

const text = (lines: number) => Array.from({ length: lines }, (_, line) => `line ${line}\n`).join("");
const folder: Folder = {
  "index.html": '<!doctype html><link rel="icon" href="data:,"><script>window.done = true</script>',
  "named/music.wav": noise(10),
  "content/music.wav": noise(60),
  "named/words.txt": text(5_000),
  "content/words.txt": text(100_000),
};

const copies = Object.fromEntries(
  Object.entries(folder)
    .filter(([path]) => path !== "index.html")
    .map(([path, bytes]) => [path, brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } })]),
);
const files = manifestOf(folder).map((file) => {
  const br = copies[file.path];
  return br === undefined ? file : { ...file, br: { size: br.length, sha256: sha256(br) } };
});

beforeEach(async () => {
  const variants = Object.fromEntries(Object.entries(copies).map(([path, br]) => [`${path} in Brotli`, br]));
  const { body } = await openRelease(ada, ada.slug, { ...folder, ...variants }, files);
  expect((await makeLive(ada, ada.slug, body.release.id)).status).toBe(200);
});

/** Loads a file whole, then asks for parts of it, as they are and if the file is still the same. The first is beyond the end of its Brotli copy. */
const parts = (path: string) => `(async () => {
  const whole = await fetch("${path}");
  const bytes = new Uint8Array(await whole.arrayBuffer());
  const isRight = async (first, last, headers = {}) => {
    const response = await fetch("${path}", { headers: { range: "bytes=" + first + "-" + last, ...headers } });
    const got = new Uint8Array(await response.arrayBuffer());
    const from = response.status === 206 ? bytes.subarray(first, last + 1) : bytes;
    return [200, 206].includes(response.status) && got.length === from.length && got.every((byte, index) => byte === from[index]);
  };
  const etag = whole.headers.get("etag");
  return {
    bytes: bytes.length,
    last: await isRight(bytes.length - 100, bytes.length - 1),
    first: await isRight(0, 99),
    middle: await isRight(20000, 20999),
    ifRange: await isRight(100, 199, { "if-range": etag }),
    ifNoneMatch: await isRight(200, 299, { "if-none-match": '"other"' }),
    wholeAgain: (await (await fetch("${path}")).arrayBuffer()).byteLength,
  };
})()`;

/** Loads a sound whole, then plays its end in an element of this name. */
const playedIn = (element: string, path: string) => `(async () => {
  const url = new URL("${path}", location);
  await (await fetch(url)).arrayBuffer();
  const media = document.createElement("${element}");
  const event = (name) => new Promise((resolve, reject) => {
    media.addEventListener(name, resolve, { once: true });
    media.addEventListener("error", () => reject(new Error(media.error.message)), { once: true });
  });
  media.src = url;
  media.preload = "auto";
  await event("canplay");
  const { duration } = media;
  const seeked = event("seeked");
  media.currentTime = duration - 2;
  await seeked;
  return { duration, isAtEnd: media.currentTime > duration - 3 };
})()`;

describe.each<readonly [string, PlayerFactory]>([
  ...players,
  ...(overHttps ? [["Firefox over https", overHttps] as const] : []),
])("in %s, after a file was loaded whole", (_, come) => {
  test.each(["named", "content"])("parts of it are right, and sounds play to their end (%s)", async (how) => {
    await playing(come, async (player) => {
      await player.open(`http://${ada.slug}.${service.gamesDomain}/`);
      await player.done();
      for (const path of [`${how}/words.txt`, `${how}/music.wav`]) {
        const bytes = Buffer.byteLength(folder[path] ?? "");
        const right = { first: true, middle: true, last: true, ifRange: true, ifNoneMatch: true };
        expect(await player.evaluate(parts(path))).toEqual({ ...right, bytes, wholeAgain: bytes });
      }
      const duration = how === "named" ? 10 : 60;
      for (const element of ["audio", "video"])
        expect(await player.evaluate(playedIn(element, `${how}/music.wav`))).toEqual({ duration, isAtEnd: true });
    });
  });
});
