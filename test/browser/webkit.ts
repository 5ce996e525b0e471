import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "../../local/table/dynamodb-engine.ts";
import { hasScreen, type Screen, startScreen } from "./screen.ts";
import { SecureProxy } from "./secure-proxy.ts";

/*
 * Drives an installed WebKitGTK, which has Safari's engine, by WebDriver (https://www.w3.org/TR/webdriver2/) on a screen of its
 * own in memory. It takes no Secure cookie over http, so it reaches the servers of a test through a proxy with TLS.
 */

const driver = "/usr/bin/WebKitWebDriver";
const browsers = ["x86_64", "aarch64"].map((cpu) => `/usr/lib/${cpu}-linux-gnu/webkit2gtk-4.1/MiniBrowser`);

/** The browser that WebKitGTK's driver starts; undefined if one of the programs is not installed. */
export function installedWebKit(): string | undefined {
  return existsSync(driver) && hasScreen ? browsers.find((path) => existsSync(path)) : undefined;
}

/** Time that a script may take: a game loads and draws meanwhile. */
const scriptMilliseconds = 100_000;
/** WebDriver's name of an element in JSON. */
const elementKey = "element-6066-11e4-a52e-4f735466cecf";

/** A page in a new browser that has nothing stored. */
export class WebKitPage {
  readonly name = "webkit";
  readonly #isPlain: boolean;
  readonly #proxy = new SecureProxy();
  readonly #webDriver: ChildProcess;
  readonly #screen: Screen;
  readonly #home: string;
  readonly #session: string;

  private constructor(parts: {
    isPlain: boolean;
    webDriver: ChildProcess;
    screen: Screen;
    home: string;
    session: string;
  }) {
    this.#isPlain = parts.isPlain;
    this.#webDriver = parts.webDriver;
    this.#screen = parts.screen;
    this.#home = parts.home;
    this.#session = parts.session;
  }

  /** @param options whether it reaches servers by http, as a page that names others by http must be reached */
  static async open(binary: string, { isPlain = false } = {}): Promise<WebKitPage> {
    const home = mkdtempSync(join(tmpdir(), "svc-webkit-"));
    const screen = await startScreen();
    const port = await freePort();
    const env = {
      ...process.env,
      ...screen.env,
      HOME: home,
      // As for Firefox: dconf may crash it.
      GSETTINGS_BACKEND: "memory",
      // Locale of a page's numbers.
      LANG: "en_US.UTF-8",
      LC_ALL: "en_US.UTF-8",
      // While it is driven it does not give an isolated page a process of its own, in which workers share memory by themselves.
      JSC_useSharedArrayBuffer: "1",
    };
    const webDriver = spawn(driver, [`--port=${port}`], { stdio: "ignore", env });
    const endpoint = `http://127.0.0.1:${port}`;
    await untilListening(endpoint);
    const { sessionId } = (await send("POST", `${endpoint}/session`, {
      capabilities: {
        alwaysMatch: {
          acceptInsecureCerts: true,
          timeouts: { script: scriptMilliseconds },
          "webkitgtk:browserOptions": { binary, args: ["--automation"] },
        },
      },
    })) as { sessionId: string };
    const session = `${endpoint}/session/${sessionId}`;
    return new WebKitPage({ isPlain, webDriver, screen, home, session });
  }

  /** Responses with an error, and requests without a response. The driver tells nothing of the console. */
  get complaints(): readonly string[] {
    return this.#proxy.complaints;
  }

  /** URL at which it reaches a server of this machine. */
  async urlOf(url: string): Promise<string> {
    return this.#isPlain ? url : await this.#proxy.urlOf(url);
  }

  /** Returns when the page is loaded. */
  async goto(url: string): Promise<void> {
    await send("POST", `${this.#session}/url`, { url: await this.urlOf(url) });
  }

  async reload(): Promise<void> {
    await send("POST", `${this.#session}/refresh`, {});
  }

  /** The value of an expression that JSON can hold; a promise is waited for. */
  async evaluate(expression: string): Promise<unknown> {
    const script = `const done = arguments[arguments.length - 1];
(async () => JSON.stringify((await (${expression})) ?? null))().then((value) => done({ value }), (error) => done({ error: String(error) }));`;
    const { value, error } = (await send("POST", `${this.#session}/execute/async`, { script, args: [] })) as {
      value?: string;
      error?: string;
    };
    if (value === undefined) throw new Error(error ?? "The script failed");
    return JSON.parse(value);
  }

  /** Chooses files of this machine in the first input that the selector finds. */
  async setFiles(selector: string, files: readonly string[]): Promise<void> {
    const element = (await send("POST", `${this.#session}/element`, {
      using: "css selector",
      value: selector,
    })) as Readonly<Record<string, string>>;
    await send("POST", `${this.#session}/element/${element[elementKey]}/value`, { text: files.join("\n") });
  }

  /** A PNG of what the page shows. */
  async screenshot(): Promise<Buffer> {
    return Buffer.from(String(await send("GET", `${this.#session}/screenshot`)), "base64");
  }

  /** Ends the browser and removes what it has stored. */
  async close(): Promise<void> {
    await send("DELETE", this.#session).catch(() => undefined);
    const exited = once(this.#webDriver, "exit");
    if (this.#webDriver.exitCode === null && this.#webDriver.kill()) await exited;
    this.#screen.stop();
    await this.#proxy.stop();
    rmSync(this.#home, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function send(method: string, url: string, body?: object): Promise<unknown> {
  const response = await fetch(url, { method, ...(body !== undefined && { body: JSON.stringify(body) }) });
  const { value } = (await response.json()) as { value: unknown };
  if (response.ok) return value;
  const { error, message } = value as { error: string; message: string };
  throw new Error(`${error}: ${message}`);
}

async function untilListening(endpoint: string): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    if (await fetch(`${endpoint}/status`).catch(() => undefined)) return;
    await delay(50);
  }
  throw new Error("WebKitWebDriver did not start");
}
