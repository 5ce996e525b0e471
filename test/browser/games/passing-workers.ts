import { hash } from "node:crypto";
import type { Folder } from "../../support/service/steps.ts";

/*
 * Games with a service worker that passes requests on to the network, in nine ways that games and their tools have.
 */

const begin = `
addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
const kept = (name) => caches.open(name);
const put = async (name, request, response) => {
  if (response.ok) await (await kept(name)).put(request, response.clone());
  return response;
};
`;

const responding = (response: string) =>
  `${begin}addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method === "GET") event.respondWith((async () => ${response})());
});`;

/** The script of a worker; it may name what the release has. */
type Script = (files: Folder) => string;

/** The release that each part of a visit comes from. */
export interface Visit {
  readonly page: number;
  readonly script: number;
  /** Loaded after the worker has looked for an update. */
  readonly late: unknown;
}

type Part = keyof Visit;
export const everything: readonly Part[] = ["page", "script", "late"];

/** What in the first and in the second visit after a release must be of the same release as at a static host. */
type Compared = readonly [readonly Part[], readonly Part[]];

export const passingWorkers: readonly (readonly [way: string, script: Script, compared?: Compared])[] = [
  ["fetch(request)", () => responding("fetch(request)")],
  ["fetch(request.url)", () => responding("fetch(request.url)")],
  ['fetch(request, { cache: "no-store" })', () => responding('fetch(request, { cache: "no-store" })')],
  [
    "new headers on the response, as coi-serviceworker",
    () =>
      responding(`{
    const response = await fetch(request);
    const headers = new Headers(response.headers);
    headers.set("Cross-Origin-Embedder-Policy", "require-corp");
    headers.set("Cross-Origin-Opener-Policy", "same-origin");
    return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
  }`),
  ],
  [
    "network first",
    () => responding('fetch(request).then((response) => put("all", request, response), () => caches.match(request))'),
  ],
  [
    "stale while revalidate",
    () =>
      responding(`{
    const coming = fetch(request).then((response) => put("all", request, response));
    return (await caches.match(request)) ?? (await coming);
  }`),
    // It asks for the old page's script before it knows the new page's release.
    [everything, ["page"]],
  ],
  [
    "the navigation's preload",
    () => `addEventListener("activate", (event) => event.waitUntil(registration.navigationPreload.enable()));
${responding("(await event.preloadResponse) ?? fetch(request)")}`,
  ],
  [
    "the page from the network and the rest by hashes, as Flutter",
    (files) => {
      const hashes = Object.entries(files).map(([path, bytes]) => [path, hash("md5", bytes)]);
      return `const hashes = ${JSON.stringify(Object.fromEntries(hashes))};
${responding(`{
    const path = new URL(request.url).pathname.slice(1);
    if (path === "") return fetch(request).then((response) => put("pages", request, response), () => caches.match(request));
    const name = path + "?" + hashes[path];
    return (await caches.match(name)) ?? put("files", name, await fetch(request));
  }`)}`;
    },
    // The new worker may take the page over before or after that.
    [["page", "script"], everything],
  ],
  [
    "a list of files, read with each page, as Construct",
    () =>
      responding(`{
    const isPage = request.mode === "navigate";
    if (isPage) event.waitUntil((async () => {
      const { version, files } = await (await fetch("offline.json")).json();
      if ((await caches.keys()).includes(version)) return;
      const all = await Promise.all(files.map(async (path) => [path, await fetch(path, { cache: "no-cache" })]));
      for (const [path, response] of all) await put(version, path, response);
      for (const name of await caches.keys()) if (name !== version) await caches.delete(name);
    })());
    return (await caches.match(request)) ?? fetch(request);
  }`),
    // It reads the list before its visit has moved, so it is a visit later.
    [everything, []],
  ],
];

/** The files of one release; `window.done` of its page says of which release it and its script are. */
export function passedOnGame(number: number, script: Script): Folder {
  const files = {
    "index.html": `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><h1>${number}</h1><script src="game.js"></script>`,
    "game.js": `(async () => {
  const registration = await navigator.serviceWorker.register("sw.js");
  await navigator.serviceWorker.ready;
  while (navigator.serviceWorker.controller === null) await new Promise((resolve) => setTimeout(resolve, 20));
  window.later = async () => {
    await registration.update();
    const next = registration.installing ?? registration.waiting;
    while (next && next.state !== "activated") await new Promise((resolve) => setTimeout(resolve, 20));
    return await (await fetch("level.json")).json();
  };
  window.done = { page: Number(document.querySelector("h1").textContent), script: ${number} };
})();`,
    "level.json": String(number),
  };
  const offline = JSON.stringify({ version: String(number), files: ["./", "game.js"] });
  return { ...files, "offline.json": offline, "sw.js": script(files) };
}
