import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll } from "@jest/globals";
import { hasScreen, type Screen, startScreen } from "./screen.ts";

/*
 * Drives an installed Firefox by WebDriver BiDi (https://www.w3.org/TR/webdriver-bidi/) over its own WebSocket.
 * playwright-core drives only a Firefox that it has patched itself.
 */

const paths = ["/usr/bin/firefox-esr", "/usr/bin/firefox"];

/** The Firefox that `FIREFOX` names, else the system's; undefined if none is installed. */
export function installedFirefox(): string | undefined {
  return process.env["FIREFOX"] ?? paths.find((path) => existsSync(path));
}

export type Preferences = Readonly<Record<string, unknown>>;

/** Nothing that asks the vendor's hosts in the background. */
const usualPreferences: Preferences = {
  "app.update.disabledForTesting": true,
  "app.normandy.enabled": false,
  "browser.safebrowsing.update.enabled": false,
  "datareporting.policy.dataSubmissionEnabled": false,
  "media.autoplay.default": 0,
  "network.captive-portal-service.enabled": false,
  "network.connectivity-service.enabled": false,
  "services.settings.server": "data:,#remote-settings-dummy/v1",
  "toolkit.telemetry.enabled": false,
};

const environment = {
  // dconf reads the environment in a thread while Firefox, which begins, still changes it: one start in thousands crashes.
  GSETTINGS_BACKEND: "memory",
  // If it crashes there is nobody to ask about a report, and if a page's process does, all of it ends.
  MOZ_CRASHREPORTER_NO_REPORT: "1",
  MOZ_CRASHREPORTER_SHUTDOWN: "1",
};

type Values = Readonly<Record<string, unknown>>;

interface Started {
  readonly firefox: ChildProcess;
  /** Rejects when Firefox ends. */
  readonly ended: Promise<never>;
  readonly screen: Screen | undefined;
  readonly profile: string;
  readonly socket: WebSocket;
}

/**
 * Opens pages of the installed Firefox. One Firefox runs from the first page of a test file to the file's end, since it takes seconds to
 * start; if it has crashed, the next page starts another.
 */
export function useFirefox(program: string, preferences: Preferences = {}): () => Promise<FirefoxPage> {
  let running: Promise<Firefox> | undefined;
  afterAll(async () => await (await running?.catch(() => undefined))?.close());
  return async () => {
    if (
      running === undefined ||
      (await running.then(
        ({ hasEnded }) => hasEnded,
        () => true,
      ))
    )
      running = Firefox.start(program, preferences);
    return await (await running).newPage();
  };
}

class Firefox {
  hasEnded = false;
  readonly pages = new Set<FirefoxPage>();
  readonly #started: Started;
  readonly #waiting = new Map<number, PromiseWithResolvers<Values>>();

  private constructor(started: Started) {
    this.#started = started;
    started.ended.catch(() => {
      this.hasEnded = true;
    });
    started.socket.addEventListener("message", ({ data }) => this.#receive(JSON.parse(String(data))));
  }

  /** @throws Error if this Firefox does not start */
  static async start(program: string, preferences: Preferences): Promise<Firefox> {
    const profile = mkdtempSync(join(tmpdir(), "svc-firefox-"));
    const lines = Object.entries({ ...usualPreferences, ...preferences }).map(
      ([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});`,
    );
    writeFileSync(join(profile, "user.js"), lines.join("\n"));
    // Without a window it has no WebGL.
    const screen = hasScreen ? await startScreen() : undefined;
    const window = screen === undefined ? ["--headless"] : [];
    const words = [...window, "--no-remote", "--remote-debugging-port=0", "--profile", profile];
    const firefox = spawn(program, words, {
      stdio: ["ignore", "ignore", "pipe"],
      env: { ...process.env, ...environment, ...screen?.env, HOME: profile },
    });
    const said: string[] = [];
    const ended = endOf(firefox, said);
    const socket = new WebSocket(`${await Promise.race([endpointOf(firefox, said), ended])}/session`);
    await Promise.race([once(socket, "open"), ended]);
    const started = new Firefox({ firefox, ended, screen, profile, socket });
    await started.send("session.new", { capabilities: { alwaysMatch: { acceptInsecureCerts: true } } });
    await started.send("session.subscribe", { events: ["log.entryAdded"] });
    return started;
  }

  /** A page with cookies, storage, workers and a cache of its own, all of them empty. */
  async newPage(): Promise<FirefoxPage> {
    const { userContext } = await this.send("browser.createUserContext", {});
    const { context } = await this.send("browsingContext.create", { type: "tab", userContext });
    const page = new FirefoxPage(this, String(context), String(userContext));
    this.pages.add(page);
    return page;
  }

  /** Ends Firefox and removes its profile. */
  async close(): Promise<void> {
    const { firefox, ended, screen, profile } = this.#started;
    firefox.kill();
    await ended.catch(() => undefined);
    screen?.stop();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }

  async send(method: string, params: Values): Promise<Values> {
    const id = this.#waiting.size + 1;
    const waiting = Promise.withResolvers<Values>();
    this.#waiting.set(id, waiting);
    this.#started.socket.send(JSON.stringify({ id, method, params }));
    return await Promise.race([waiting.promise, this.#started.ended]);
  }

  #receive(message: {
    id?: number;
    result?: Values;
    method?: string;
    params?: Values;
    error?: string;
    message?: string;
  }) {
    const { id, result, params } = message;
    // A worker's message does not say which page has started it.
    if (id === undefined && params?.["level"] === "error")
      for (const { complaints } of this.pages) complaints.push(String(params["text"]));
    if (id === undefined) return;
    if (result !== undefined) this.#waiting.get(id)?.resolve(result);
    else this.#waiting.get(id)?.reject(new Error(`${message.error}: ${message.message}`));
  }
}

/** A page in a user context of its own. */
export class FirefoxPage {
  readonly name = "firefox";
  /** Uncaught errors and error messages on the console, of this page and its workers. */
  readonly complaints: string[] = [];
  readonly #firefox: Firefox;
  readonly #context: string;
  readonly #userContext: string;

  constructor(firefox: Firefox, context: string, userContext: string) {
    this.#firefox = firefox;
    this.#context = context;
    this.#userContext = userContext;
  }

  /** It reaches this machine's servers by http. */
  async urlOf(url: string): Promise<string> {
    return url;
  }

  /** Returns when the page is loaded. */
  async goto(url: string): Promise<void> {
    await this.#send("browsingContext.navigate", { context: this.#context, url, wait: "complete" });
  }

  async reload(): Promise<void> {
    await this.#send("browsingContext.reload", { context: this.#context, wait: "complete" });
  }

  /** The value of an expression that JSON can hold; a promise is waited for. */
  async evaluate(expression: string): Promise<unknown> {
    const response = await this.#send("script.evaluate", {
      expression: `(async () => JSON.stringify((await (${expression})) ?? null))()`,
      target: { context: this.#context },
      awaitPromise: true,
    });
    const { type, result, exceptionDetails } = response as {
      type: string;
      result?: { value: string };
      exceptionDetails?: { text: string };
    };
    if (type !== "success" || result === undefined) throw new Error(exceptionDetails?.text ?? "The script failed");
    return JSON.parse(result.value);
  }

  /** Chooses files of this machine in the first input that the selector finds. */
  async setFiles(selector: string, files: readonly string[]): Promise<void> {
    const { result } = await this.#send("script.evaluate", {
      expression: `document.querySelector(${JSON.stringify(selector)})`,
      target: { context: this.#context },
      awaitPromise: false,
    });
    const { sharedId } = result as { sharedId: string };
    await this.#send("input.setFiles", { context: this.#context, element: { sharedId }, files });
  }

  /** A PNG of what the page shows. */
  async screenshot(): Promise<Buffer> {
    const { data } = await this.#send("browsingContext.captureScreenshot", { context: this.#context });
    return Buffer.from(String(data), "base64");
  }

  /** Closes the page and removes what it has stored. */
  async close(): Promise<void> {
    this.#firefox.pages.delete(this);
    if (!this.#firefox.hasEnded) await this.#send("browser.removeUserContext", { userContext: this.#userContext });
  }

  async #send(method: string, params: Values): Promise<Values> {
    return await this.#firefox.send(method, params);
  }
}

/** @throws Error once it has ended: its standard error stays open as long as a process that it has left behind */
async function endOf(firefox: ChildProcess, said: readonly string[]): Promise<never> {
  const [code, signal] = await once(firefox, "exit");
  throw new Error(`Firefox has ended (${signal ?? code}):\n${said.join("\n")}`);
}

async function endpointOf(firefox: ChildProcess, said: string[]): Promise<string> {
  for await (const line of createInterface({ input: firefox.stderr as NonNullable<ChildProcess["stderr"]> })) {
    said.push(line);
    const endpoint = /^WebDriver BiDi listening on (ws:\/\/\S+)/.exec(line)?.[1];
    // Its later output is read and thrown away: a full pipe would stop it.
    if (endpoint !== undefined) {
      firefox.stderr?.resume();
      return endpoint;
    }
  }
  throw new Error(`Firefox did not start:\n${said.join("\n")}`);
}
