import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, BrowserContext, BrowserServer, Page } from "playwright-core";

/** First the one without windows, menus and tabs of its own, which opens a page in a quarter of the time. */
const paths = [
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];

/** No sandbox, because a container's root cannot make one; nothing that asks the vendor's hosts in the background. */
const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--lang=en-US",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

declare global {
  /** Both are undefined outside of the tests' environment (test/support/environment.js): lab/bench starts Chromium too. */
  var sharedChromium: undefined | (() => Promise<string>);
  var sharedPlaywright: undefined | (() => Promise<typeof import("playwright-core")>);
}

/** Playwright, which all test files of a worker share. */
const playwright = await (globalThis.sharedPlaywright?.() ?? import("playwright-core"));
const { chromium } = playwright;

/** Phones and tablets that Playwright knows, by name. */
export const { devices } = playwright;

/**
 * An installed Chromium: the one that `CHROMIUM` names, else the system's. `*.localhost` needs no DNS in it. In tests all files of a
 * worker share one, and closing it closes the contexts of the file alone.
 *
 * @throws Error if none is installed, saying how to install one
 */
export async function launchChromium(): Promise<Browser> {
  const endpoint = await globalThis.sharedChromium?.();
  if (endpoint !== undefined) return await chromium.connect(endpoint);
  return await chromium.launch({ executablePath: installedChromium(), headless: true, args: [...flags] });
}

/** Starts one for several processes. */
export async function serveChromium(): Promise<BrowserServer> {
  return await chromium.launchServer({ executablePath: installedChromium(), headless: true, args: [...flags] });
}

/**
 * Starts it behind a proxy, which may lead to hosts of another cloud: their certificates are the test's own.
 *
 * @param bypass hosts that it asks by itself; `<-loopback>`: not even this machine
 */
export async function launchBehindProxy(server: string, bypass?: string): Promise<Browser> {
  return await chromium.launch({
    ...{ executablePath: installedChromium(), headless: true, proxy: { server, ...(bypass && { bypass }) } },
    args: [...flags, "--ignore-certificate-errors"],
  });
}

/** The Chromium with windows of its own, which reports crashes of tabs; that without them does not. Undefined if none is installed. */
export function reportingChromium(): string | undefined {
  return paths.slice(1).find((path) => existsSync(path));
}

/** Starts that one, to which the certificate with this pin is a signed one: on pages whose certificate is not, Chromium reads no endpoint. */
export async function launchReporting(executablePath: string, pin: string): Promise<Browser> {
  return await chromium.launch({
    ...{ executablePath, headless: true },
    args: [...flags, `--ignore-certificate-errors-spki-list=${pin}`, "--js-flags=--max-old-space-size=256"],
  });
}

/** Starts it with a profile in this folder: a private window, as others are, keeps no large file. */
export async function launchProfile(folder: string): Promise<BrowserContext> {
  return await chromium.launchPersistentContext(folder, {
    ...{ executablePath: installedChromium(), headless: true, args: [...flags] },
  });
}

function installedChromium(): string {
  const executablePath = process.env["CHROMIUM"] ?? paths.find((path) => existsSync(path));
  if (executablePath === undefined)
    throw new Error("No Chromium is installed. On Debian: apt-get install chromium. Elsewhere CHROMIUM=PATH names it.");
  return executablePath;
}

const screenshotFolder = fileURLToPath(new URL("../../build/screenshots", import.meta.url));

/** Keeps what a page shows as `build/screenshots/<name>.png`, except in CI, where nobody looks at it and hundreds take minutes. */
export async function keepScreenshot(page: { screenshot(): Promise<Buffer> }, name: string): Promise<void> {
  if ("CI" in process.env) return;
  mkdirSync(screenshotFolder, { recursive: true });
  writeFileSync(join(screenshotFolder, `${name}.png`), await page.screenshot());
}

/** Everything that a page has complained of: uncaught errors, error messages on its console, requests that failed. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(`uncaught: ${error.message}`));
  page.on("console", (message) => {
    // An address that is free is a project that is not found.
    const { url } = message.location();
    const isFreeAddress = /\/projects\/[a-z0-9-]+$/.test(url) && message.text().includes("404");
    if (message.type() === "error" && !isFreeAddress) complaints.push(`console: ${message.text()} (${url})`);
  });
  page.on("requestfailed", (request) => {
    const error = request.failure()?.errorText;
    // The page or its browser has cancelled it: a page that leaves does so with what it loads, its icon too.
    if (error !== "net::ERR_ABORTED") complaints.push(`failed: ${request.url()} ${error}`);
  });
  return complaints;
}
