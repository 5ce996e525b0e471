import { afterAll, beforeAll } from "@jest/globals";
import type { Browser } from "playwright-core";
import { complaintsOf, keepScreenshot, launchChromium } from "../chromium.ts";
import { type FirefoxPage, installedFirefox, useFirefox } from "../firefox.ts";
import { SecureProxy } from "../secure-proxy.ts";
import { until } from "../until.ts";
import { installedWebKit, WebKitPage } from "../webkit.ts";

/** Somebody who opens one game in a browser that has nothing stored. */
export interface Player {
  /** Errors so far: on the console, in scripts and, if the browser tells, in requests. */
  readonly complaints: readonly string[];
  open(url: string): Promise<void>;
  /** The URL under which this browser reaches a server of this machine: for what a page names. */
  urlOf(url: string): Promise<string>;
  reload(): Promise<void>;
  /** The game's own record of its work, once it has drawn. */
  done(): Promise<unknown>;
  /** The value of an expression in the page that JSON can hold; a promise is waited for. */
  evaluate(expression: string): Promise<unknown>;
  /** Keeps a picture of the page (keepScreenshot). */
  keep(name: string): Promise<void>;
  leave(): Promise<void>;
}

const patienceMilliseconds = 60_000;

export type BrowserName = "Chromium" | "Firefox" | "WebKit";

export type PlayerFactory = () => Promise<Player>;

/** Player factories, by the names of the browsers that are installed. Chromium runs during the tests of a file. */
export function usePlayers(): (readonly [name: BrowserName, come: PlayerFactory])[] {
  let chromium: Browser;
  beforeAll(async () => {
    chromium = await launchChromium();
  });
  afterAll(() => chromium?.close());
  return installedPlayers(() => chromium);
}

/** Lets a player come and play, and leave whatever happens. */
export async function playing<T>(come: PlayerFactory, play: (player: Player) => Promise<T>): Promise<T> {
  const player = await come();
  try {
    return await play(player);
  } finally {
    await player.leave();
  }
}

export function installedPlayers(chromium: () => Browser): (readonly [name: BrowserName, come: PlayerFactory])[] {
  const [firefox, webKit] = [installedFirefox(), installedWebKit()];
  if (firefox === undefined) console.warn("No Firefox is installed: no game is played in it.");
  if (webKit === undefined) console.warn("No WebKitGTK, or no Xvfb, is installed: no game is played in WebKit.");
  const openFirefox = firefox === undefined ? undefined : useFirefox(firefox);
  return [
    ["Chromium", () => chromiumPlayer(chromium())],
    ...(openFirefox === undefined ? [] : [["Firefox", () => driven(openFirefox())] as const]),
    ...(webKit === undefined ? [] : [["WebKit", () => driven(WebKitPage.open(webKit))] as const]),
  ];
}

async function chromiumPlayer(browser: Browser): Promise<Player> {
  const context = await browser.newContext();
  const page = await context.newPage();
  return {
    complaints: complaintsOf(page),
    open: async (url) => void (await page.goto(url)),
    urlOf: async (url) => url,
    reload: async () => void (await page.reload()),
    done: async () => {
      const handle = await page.waitForFunction("window.done", undefined, { timeout: patienceMilliseconds });
      return await handle.jsonValue();
    },
    evaluate: (expression) => page.evaluate(expression),
    keep: (name) => keepScreenshot(page, name),
    leave: () => context.close(),
  };
}

/** Factory of a player whose Firefox takes deltas, which it does by a preference, and over https alone; undefined if none is installed. */
export function firefoxWithDictionaries(): PlayerFactory | undefined {
  const program = installedFirefox();
  if (program === undefined) return undefined;
  const open = useFirefox(program, { "network.http.dictionaries.enable": true });
  return async () => {
    const proxy = new SecureProxy();
    const player = await driven(open());
    return {
      ...player,
      open: async (url) => player.open(await proxy.urlOf(url)),
      leave: async () => {
        await player.leave();
        await proxy.stop();
      },
    };
  };
}

/** Player in a browser that is driven by WebDriver. */
async function driven(opening: Promise<FirefoxPage | WebKitPage>): Promise<Player> {
  const page = await opening;
  return {
    get complaints() {
      return page.complaints;
    },
    open: (url) => page.goto(url),
    urlOf: (url) => page.urlOf(url),
    reload: () => page.reload(),
    done: async () => {
      await until(page, "window.done !== undefined", true, patienceMilliseconds);
      return await page.evaluate("window.done");
    },
    evaluate: (expression) => page.evaluate(expression),
    keep: (name) => keepScreenshot(page, `${name}-${page.name}`),
    leave: () => page.close(),
  };
}
