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
// The page asks for /idle to know that nothing goes on in the background.
const pending = new Set();
const background = (promise) => {
  pending.add(promise);
  return promise.finally(() => pending.delete(promise));
};
const idle = async () => {
  while (pending.size > 0) await Promise.allSettled(pending);
  return new Response("");
};
`;

const responding = (response: string) =>
  `${begin}addEventListener("fetch", (event) => {
  const { request } = event;
  if (new URL(request.url).pathname === "/idle") event.respondWith(idle());
  else if (request.method === "GET") event.respondWith((async () => ${response})());
});`;

/** The script of a worker; it may name what the release has. */
type Script = (files: Folder) => string;

/** The release that each part of a visit comes from. */
export interface Visit {
  readonly page: number;
  readonly script: number;
  /** Loaded after the browser has looked for a new worker. */
  readonly late: unknown;
}

/** Everything is of the second release. */
export const whole: Visit = { page: 2, script: 2, late: 2 };

export interface PassingWorker {
  readonly way: string;
  readonly script: Script;
  /** Result of the first visit after a release, here and at a static host, if it is not the second release. */
  readonly first?: Visit;
  /** Possible results of the second visit after a release, if they are not those of a static host: the second release. */
  readonly second?: readonly Visit[];
  /** Whether browsers differ in how they send what it passes on. */
  readonly differs?: boolean;
}

export const passingWorkers: readonly PassingWorker[] = [
  { way: "fetch(request)", script: () => responding("fetch(request)"), differs: true },
  { way: "fetch(request.url)", script: () => responding("fetch(request.url)"), differs: true },
  {
    way: 'fetch(request, { cache: "no-store" })',
    script: () => responding('fetch(request, { cache: "no-store" })'),
    differs: true,
  },
  {
    way: "new headers on the response, as coi-serviceworker",
    script: () =>
      responding(`{
    const response = await fetch(request);
    const headers = new Headers(response.headers);
    headers.set("Cross-Origin-Embedder-Policy", "require-corp");
    headers.set("Cross-Origin-Opener-Policy", "same-origin");
    return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
  }`),
  },
  {
    way: "network first",
    script: () =>
      responding('fetch(request).then((response) => put("all", request, response), () => caches.match(request))'),
  },
  {
    way: "stale while revalidate",
    script: () =>
      responding(`{
    const before = await caches.match(request);
    const coming = background(fetch(request).then((response) => put("all", request, response)));
    return before ?? (await coming);
  }`),
    first: { page: 1, script: 1, late: 1 },
    // It can ask for the old page's script before it has the new page, which moves its visit.
    second: [whole, { ...whole, script: 1 }],
  },
  {
    way: "the navigation's preload",
    script: () => `addEventListener("activate", (event) => event.waitUntil(registration.navigationPreload.enable()));
${responding("(await event.preloadResponse) ?? fetch(request)")}`,
  },
  {
    way: "the page from the network and the rest by hashes, as Flutter",
    script: (files) => {
      const hashes = Object.entries(files).map(([path, bytes]) => [path, hash("md5", bytes)]);
      return `const hashes = ${JSON.stringify(Object.fromEntries(hashes))};
${responding(`{
    const path = new URL(request.url).pathname.slice(1);
    if (path === "") return fetch(request).then((response) => put("pages", request, response), () => caches.match(request));
    const name = path + "?" + hashes[path];
    return (await caches.match(name)) ?? put("files", name, await fetch(request));
  }`)}`;
    },
    // The worker before has the hash of the script before.
    first: { page: 2, script: 1, late: 2 },
  },
  {
    way: "a list of files, read with each page, as Construct",
    script: () =>
      responding(`{
    const before = await caches.keys();
    const isPage = request.mode === "navigate";
    // A page begins with the newest list that is there, and all that it loads is of the same.
    if (isPage) for (const name of before.splice(0, before.length - 1)) await caches.delete(name);
    if (isPage) background((async () => {
      const { version, files } = await (await fetch("offline.json")).json();
      if (before.includes(version)) return;
      const all = await Promise.all(files.map(async (path) => [path, await fetch(path, { cache: "no-cache" })]));
      for (const [path, response] of all) await put(version, path, response);
    })());
    return (before[0] && (await (await kept(before[0])).match(request))) ?? fetch(request);
  }`),
    first: { page: 1, script: 1, late: 2 },
    // It reads the list before the browser has looked for a new worker, which moves its visit, so it is a visit later.
    second: [{ page: 1, script: 1, late: 2 }],
  },
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
    while (next && navigator.serviceWorker.controller !== next) await new Promise((resolve) => setTimeout(resolve, 20));
    await fetch("idle");
    const level = await (await fetch("level.json")).json();
    await fetch("idle");
    return level;
  };
  window.done = { page: Number(document.querySelector("h1").textContent), script: ${number} };
})();`,
    "level.json": String(number),
  };
  const offline = JSON.stringify({ version: String(number), files: ["./", "game.js"] });
  return { ...files, "offline.json": offline, "sw.js": script(files) };
}
