import { randomBytes } from "node:crypto";
import { brotliCompressSync, constants } from "node:zlib";
import { describe, expect, test } from "@jest/globals";
import type { Delta } from "../../../contract/api/releases/manifest-rules.ts";
import { deltaOf } from "../../support/service/delta.ts";
import { type Folder, makeLive, manifestOf, openRelease, sha256 } from "../../support/service/steps.ts";
import { useOwner, useService } from "../../support/service/suite.ts";
import { firefoxWithDictionaries, type PlayerFactory, playing, usePlayers } from "./players.ts";

/*
 * Large files that go by their content: each way in which games load them, and what a player loads who comes back.
 */

const service = useService();
const ada = useOwner(service);
const players = usePlayers();

const url = () => `http://${ada.slug}.${service.gamesDomain}/`;
const page = (script: string) =>
  `<!doctype html><link rel="icon" href="data:,"><script type="module">${script}</script>`;

/** The eight bytes that begin every module, and a custom section that is padding alone. */
const wasm = Buffer.concat([Buffer.from("0061736d0100000000818010", "hex"), Buffer.alloc(2 ** 18 + 1)]);

/** Half a minute of silence as WAV. */
const silence = (() => {
  const [rate, bytes] = [8_000, 480_000];
  const header = Buffer.alloc(44);
  header.write("RIFF", 0);
  header.writeUInt32LE(36 + bytes, 4);
  header.write("WAVEfmt ", 8);
  for (const [offset, value] of [[16, 16], [24, rate], [28, rate * 2], [40, bytes]] as const) // biome-ignore format: pairs
    header.writeUInt32LE(value, offset);
  for (const [offset, value] of [[20, 1], [22, 1], [32, 2], [34, 16]] as const) // biome-ignore format: pairs
    header.writeUInt16LE(value, offset);
  header.write("data", 36);
  return Buffer.concat([header, Buffer.alloc(bytes)]);
})();

/** A green picture of 400 × 400 points. */
const picture = (() => {
  const header = Buffer.alloc(54);
  header.write("BM");
  header.writeUInt32LE(54 + 480_000, 2);
  header.writeUInt32LE(54, 10);
  header.writeUInt32LE(40, 14);
  header.writeInt32LE(400, 18);
  header.writeInt32LE(400, 22);
  header.writeUInt16LE(1, 26);
  header.writeUInt16LE(24, 28);
  return Buffer.concat([header, Buffer.alloc(480_000, Buffer.from([0, 255, 0]))]);
})();

const data = Buffer.alloc(300_000, "some data ");
const worker = `importScripts("large.js");
onmessage = async () => postMessage([large, (await (await fetch("data.bin")).arrayBuffer()).byteLength]);`;
const serviceWorker = `addEventListener("install", (event) => event.waitUntil(
  caches.open("all").then((cache) => cache.addAll(["./", "data.bin"])).then(() => skipWaiting())));
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("fetch", (event) =>
  event.respondWith(caches.match(event.request).then((kept) => kept ?? fetch(event.request))));`;

const everyWay = page(`
const bytesOf = async (path, init) => (await (await fetch(path, init)).arrayBuffer()).byteLength;
const event = (target, name) => new Promise((resolve, reject) => {
  target.addEventListener(name, resolve, { once: true });
  target.addEventListener("error", () => reject(new Error(name)), { once: true });
});
const did = {};
window.did = did;
const attempt = async (name, way) => { did[name] = await way().catch((error) => String(error)); };
await attempt("response.url", async () => {
  const { url, redirected } = await fetch("data.bin?v=1");
  return [new URL(url).href.replace(location.origin, "").replace(/[0-9a-f]{64}/, "HASH"), redirected];
});
await attempt("relative to response.url", async () =>
  await (await fetch(new URL("next.txt", (await fetch("folder/list.json")).url))).text());
await attempt("locateFile", () => bytesOf(((name) => new URL(name, import.meta.url).href)("data.bin")));
await attempt("instantiateStreaming", async () =>
  (await WebAssembly.instantiateStreaming(fetch("engine.wasm"))).instance instanceof WebAssembly.Instance);
await attempt("Range", async () => {
  const response = await fetch("data.bin", { headers: { range: "bytes=5-8" } });
  return [response.status, response.headers.get("content-range"), await response.text()];
});
await attempt("isolation", async () => crossOriginIsolated);
await attempt("importScripts", async () => {
  const worker = new Worker("worker.js");
  const reply = event(worker, "message");
  worker.postMessage("");
  return (await reply).data;
});
await attempt("<audio>", async () => {
  const audio = new Audio("silence.wav");
  await event(audio, "canplaythrough");
  const seeked = event(audio, "seeked");
  audio.currentTime = 25;
  await seeked;
  return audio.currentTime > 24;
});
await attempt("<img>", async () => {
  const image = new Image();
  image.src = "picture.bmp";
  await event(image, "load");
  const context = new OffscreenCanvas(1, 1).getContext("2d");
  context.drawImage(image, 0, 0);
  return [...context.getImageData(0, 0, 1, 1).data];
});
await attempt("XMLHttpRequest", async () => {
  const request = new XMLHttpRequest();
  request.responseType = "arraybuffer";
  request.open("GET", "data.bin");
  const loaded = event(request, "load");
  request.send();
  await loaded;
  return [request.status, request.response.byteLength];
});
await attempt("HEAD", async () => (await fetch("data.bin", { method: "HEAD" })).headers.get("content-length"));
await attempt("redirect: error", () => bytesOf("data.bin", { redirect: "error" }).catch(() => "refused"));
await attempt("preload", async () => {
  const loads = () => performance.getEntriesByType("resource").filter(({ name }) => name.endsWith("/late.bin"));
  while (loads().length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  const bytes = await bytesOf("late.bin");
  return [bytes, loads().length];
});
await attempt("precache", async () => {
  await navigator.serviceWorker.register("sw.js");
  while (navigator.serviceWorker.controller === null) await new Promise((resolve) => setTimeout(resolve, 20));
  return [await bytesOf("data.bin"), (await (await caches.match("data.bin")).arrayBuffer()).byteLength];
});
window.done = did;`);

describe.each(players)("in %s, a large file", (browser, come) => {
  test("is loaded by its content in every way that games have, also from a worker's cache", async () => {
    const files: Folder = {
      "index.html": everyWay,
      "data.bin": data,
      "late.bin": data,
      "engine.wasm": wasm,
      "silence.wav": silence,
      "picture.bmp": picture,
      "folder/list.json": `[${"1, ".repeat(100_000)}1]`,
      "folder/next.txt": "next",
      "large.js": `var large = "a large script"; /*${" ".repeat(300_000)}*/`,
      "worker.js": worker,
      "sw.js": serviceWorker,
    };
    const settings = { isolation: true, preload: ["late.bin"] };
    const { body } = await openRelease(ada, ada.slug, files, manifestOf(files), settings);
    expect((await makeLive(ada, ada.slug, body.release.id)).status).toBe(200);
    const did = {
      "response.url": ["/.well-known/svc/files/HASH/data.bin", true],
      "relative to response.url": "next",
      locateFile: 300_000,
      instantiateStreaming: true,
      Range: [206, "bytes 5-8/300000", "data"],
      isolation: true,
      importScripts: ["a large script", 300_000],
      "<audio>": true,
      "<img>": [0, 255, 0, 255],
      XMLHttpRequest: [200, 300_000],
      HEAD: "300000",
      "redirect: error": "refused",
      // WebKit lists a second load when the script asks for what is preloaded.
      preload: [300_000, browser === "WebKit" ? 2 : 1],
      precache: [300_000, 300_000],
    };
    await playing(come, async (player) => {
      await player.open(url());
      expect(await player.done()).toEqual(did);
      await player.open(url());
      expect(await player.done()).toMatchObject({ precache: [300_000, 300_000], locateFile: 300_000 });
    });
  });
});

const loading = (path: string) =>
  page(`
const bytes = await (await fetch("${path}")).arrayBuffer();
const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
const [{ transferSize, encodedBodySize }] = performance.getEntriesByType("resource").filter(({ name }) => name.endsWith("/${path}"));
window.done = { sha256: [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join(""), transferSize, encodedBodySize };`);

const withDictionaries = firefoxWithDictionaries();

describe.each<readonly [string, PlayerFactory]>([
  ...players,
  ...(withDictionaries ? [["Firefox with dictionaries", withDictionaries] as const] : []),
])("who comes back in %s", (browser, come) => {
  const asItIs = (bytes: Buffer) => bytes;
  const inBrotli = (bytes: Buffer) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
  test.each<[string, string, string, (bytes: Buffer) => Buffer]>([
    ["that goes by its content", "data.bin", "data.bin", asItIs],
    ["that Unity stored in Brotli", "g.data.br", "g.data.br", inBrotli],
    ["whose name has another hash", "kept/data-DkA3x9b2.bin", "kept/data-BkZ9fl1c.bin", asItIs],
  ])(
    "loads a large file %s once, and after an update what the browser takes less",
    async (_, before, after, stored) => {
      const first = randomBytes(2_000_000);
      const second = Buffer.concat([first.subarray(0, 900_000), randomBytes(10_000), first.subarray(910_000)]);
      const delta = deltaOf(first, second);
      const goLive = async (path: string, bytes: Buffer, more: Folder = {}, deltas: Delta[] = []) => {
        const folder = { "index.html": loading(path), [path]: stored(bytes) };
        const files = manifestOf(folder).map((file) => (file.path === path ? { ...file, deltas } : file));
        const settings = { immutable: ["kept/*"] };
        const { body } = await openRelease(ada, ada.slug, { ...folder, ...more }, files, settings);
        expect((await makeLive(ada, ada.slug, body.release.id)).status).toBe(200);
      };
      await goLive(before, first);
      await playing(come, async (player) => {
        const visit = async () => {
          await player.open(url());
          return (await player.done()) as { sha256: string; transferSize: number; encodedBodySize: number };
        };
        expect(await visit()).toMatchObject({ sha256: sha256(first), encodedBodySize: stored(first).length });
        const again = await visit();
        expect(again.sha256).toBe(sha256(first));
        // A WebKitGTK that is driven has no cache on disk, and loads each file with each visit, whatever its URL.
        const most = browser === "WebKit" ? 2_100_000 : 2_000;
        expect(again.transferSize).toBeLessThan(most);
        await goLive(after, second, { delta }, [
          { dictionary: sha256(first), size: delta.length, sha256: sha256(delta) },
        ]);
        const updated = await visit();
        expect(updated.sha256).toBe(sha256(second));
        const takesDeltas = ["Chromium", "Firefox with dictionaries"].includes(browser);
        expect(updated.encodedBodySize).toBe(takesDeltas ? delta.length : stored(second).length);
        expect(delta.length).toBeLessThan(second.length / 50);
        expect((await visit()).transferSize).toBeLessThan(most);
      });
    },
  );
});
