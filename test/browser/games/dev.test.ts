import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Browser } from "playwright-core";
import { writeFiles } from "../../support/cli/cli.ts";
import { startDev } from "../../support/cli/dev.ts";
import { useCliUser, useServers } from "../../support/service/suite.ts";
import { complaintsOf, launchChromium } from "../chromium.ts";

const keep = useServers();
const person = useCliUser();
let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

const write = (files: Readonly<Record<string, string>>) => writeFiles(`${person.home}/game`, files);

/** A page whose worker adds to shared memory, which only an isolated page has. */
const threads = (level: string) => `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><h1></h1>
<script>
const memory = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
const worker = new Worker("adds.js");
worker.onmessage = () => {
  document.querySelector("h1").textContent = "${level} " + new Int32Array(memory.buffer)[0];
  localStorage.setItem("plays", Number(localStorage.getItem("plays")) + 1);
};
worker.postMessage(memory);
</script>`;

test("a page with threads plays in svc dev, at a host of its own, and is loaded again when a file changes", async () => {
  write({
    "svc.toml": 'project = "my-game"\ndir = "dist"\nisolation = true\n',
    "dist/index.html": threads("one"),
    "dist/adds.js": "onmessage = ({ data }) => { Atomics.add(new Int32Array(data.buffer), 0, 7); postMessage(0); };",
  });
  const dev = await keep(startDev(person));
  const page = await browser.newPage();
  const complaints = complaintsOf(page);
  const heading = (text: string) => page.waitForFunction(`document.querySelector("h1")?.textContent === "${text}"`);
  await page.goto(dev.listening["url"]);
  expect(new URL(page.url()).hostname).toBe("my-game.localhost");
  await heading("one 7");
  expect(await page.evaluate("document.scripts.length")).toBe(1);
  write({ "dist/index.html": threads("two") });
  await heading("two 7");
  write({
    "dist/adds.js": "onmessage = ({ data }) => { Atomics.add(new Int32Array(data.buffer), 0, 8); postMessage(0); };",
  });
  await heading("two 8");
  expect(await page.evaluate('localStorage.getItem("plays")')).toBe("3");
  expect(complaints).toEqual([]);
  await page.close();
});

/** Stores the response to the first navigation, and gives it to all that follow. */
const storingWorker = `addEventListener("activate", (event) => event.waitUntil(clients.claim()));
const stored = async (request) => {
  const cache = await caches.open("pages");
  const found = await cache.match("/");
  if (found) return found;
  const response = await fetch(request);
  await cache.put("/", response.clone());
  return response;
};
addEventListener("fetch", (event) => event.request.mode === "navigate" && event.respondWith(stored(event.request)));`;

test("a page that a service worker has stored is loaded again once for each change, and not for ever", async () => {
  write({
    "index.html": `<!doctype html><link rel="icon" href="data:,">
<script>navigator.serviceWorker.register("sw.js"); sessionStorage.loads = Number(sessionStorage.loads ?? 0) + 1;</script>`,
    "sw.js": storingWorker,
  });
  const dev = await keep(startDev(person));
  const page = await browser.newPage();
  await page.goto(dev.listening["url"]);
  await page.waitForFunction("navigator.serviceWorker.controller !== null");
  const opened = () => page.waitForResponse((response) => response.url().endsWith("/svc/dev/changes"));
  for (const loads of [2, 3]) {
    await Promise.all([opened(), page.reload()]);
    expect(await page.evaluate("Number(sessionStorage.loads)")).toBe(loads);
  }
  // Twice, because the stored page has the digest of before the first change for ever.
  for (const [name, loads] of [
    ["a.txt", 4],
    ["b.txt", 5],
  ] as const) {
    const again = opened();
    write({ [name]: "1" });
    await page.waitForFunction(`Number(sessionStorage.loads) === ${loads}`);
    await again;
    await page.waitForTimeout(500);
    expect(await page.evaluate("Number(sessionStorage.loads)")).toBe(loads);
  }
  await page.close();
});
