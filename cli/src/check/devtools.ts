import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import type { Readable, Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { exitCodes, UserError } from "../errors.ts";

/** Parameters and results of the DevTools protocol, which a browser of any version may extend. */
// biome-ignore lint/suspicious/noExplicitAny: the protocol has 600 messages; those that are read are read as it documents them
export type Json = Record<string, any>;

/** A message that a browser sends by itself. */
export interface DevToolsEvent {
  readonly method: string;
  readonly params: Json;
  /** The page or worker that it is about. */
  readonly sessionId?: string;
}

/** The browser took longer to respond to a command than it may, as a page whose script never ends makes it. */
export class NoResponseError extends Error {
  override readonly name = "NoResponseError";
}

interface PendingCommand {
  readonly resolve: (result: Json) => void;
  readonly reject: (error: Error) => void;
}

/** Time to start, on a machine that is busy. */
const startMilliseconds = 30_000;
const commandMilliseconds = 10_000;

/**
 * An installed browser without a window, by the DevTools protocol over a pipe: no port is open, which other programs of the machine could
 * use. playwright-core would do it too, and is 6.9 MB in a bundle of 1.2 MB; this is 7 KB. The profile is new and is removed.
 */
export class DevTools {
  readonly #child: ChildProcess;
  readonly #profile: string;
  readonly #pending = new Map<number, PendingCommand>();
  readonly #listeners = new Set<(event: DevToolsEvent) => void>();
  /** Resolves when the program has ended, or has not started. */
  readonly #exited: Promise<unknown>;
  #lastId = 0;

  private constructor(child: ChildProcess, profile: string) {
    this.#child = child;
    this.#profile = profile;
    let text = "";
    (child.stdio[4] as Readable).setEncoding("utf8").on("data", (chunk: string) => {
      const messages = (text + chunk).split("\0");
      text = messages.pop() ?? "";
      for (const message of messages) this.#receive(JSON.parse(message));
    });
    for (const stream of [child.stdio[3], child.stdio[4]]) stream?.on("error", () => {});
    this.#exited = new Promise((resolve) => {
      child.once("exit", resolve);
      child.once("error", resolve);
    });
    void this.#exited.then(() => this.#end());
  }

  /** @throws UserError if the program does not start, or is no such browser */
  static async start(program: string): Promise<DevTools> {
    const profile = mkdtempSync(path.join(tmpdir(), "svc-check-"));
    // In a group of its own, because the program may be a script that starts the browser.
    const detached = process.platform !== "win32";
    const stdio = ["ignore", "ignore", "ignore", "pipe", "pipe"] as const;
    const child = spawn(program, [...switches(profile)], { stdio: [...stdio], detached });
    const devTools = new DevTools(child, profile);
    try {
      await devTools.send("Browser.getVersion", {}, { withinMilliseconds: startMilliseconds });
      return devTools;
    } catch (cause) {
      await devTools.close();
      throw new UserError(`${program} does not start as a browser without a window.`, {
        code: "browser_failed",
        exitCode: exitCodes.unmeasured,
        next: "Name another one: svc check --browser PATH.",
        cause,
      });
    }
  }

  listen(listener: (event: DevToolsEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Sends a command to the browser, or to the page or worker of a session.
   *
   * @throws NoResponseError if it takes longer; Error if the browser refuses it or has ended
   */
  async send(
    method: string,
    params: Json = {},
    { session, withinMilliseconds = commandMilliseconds }: { session?: string; withinMilliseconds?: number } = {},
  ): Promise<Json> {
    this.#lastId += 1;
    const id = this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<Json>();
    if (this.#child.exitCode !== null || this.#child.pid === undefined) throw new Error("The browser has ended");
    this.#pending.set(id, { resolve, reject });
    (this.#child.stdio[3] as Writable).write(`${JSON.stringify({ id, method, params, sessionId: session })}\0`);
    const timer = setTimeout(() => reject(new NoResponseError(method)), withinMilliseconds);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#pending.delete(id);
    }
  }

  /** Ends the browser, and removes its profile. */
  async close(): Promise<void> {
    const { pid } = this.#child;
    await this.send("Browser.close", {}, { withinMilliseconds: 2_000 }).catch(() => {});
    await Promise.race([this.#exited, delay(2_000, undefined, { ref: false })]);
    for (const stream of this.#child.stdio) stream?.destroy();
    if (pid !== undefined) endGroup(pid);
    // Its helpers may still write there for a moment.
    rmSync(this.#profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }

  #receive({ id, result, error, ...event }: Json): void {
    if (id === undefined) {
      for (const listener of this.#listeners) listener(event as DevToolsEvent);
      return;
    }
    const command = this.#pending.get(id);
    if (error) command?.reject(new Error(error.message));
    else command?.resolve(result);
  }

  #end(): void {
    for (const { reject } of this.#pending.values()) reject(new Error("The browser has ended"));
  }
}

/** Ends what is left of a browser; one that has lost its pipe ends by itself. */
function endGroup(pid: number): void {
  try {
    if (process.platform === "win32") process.kill(pid, "SIGKILL");
    else process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}

function* switches(profile: string): Iterable<string> {
  yield* ["--headless", "--remote-debugging-pipe", `--user-data-dir=${profile}`];
  // Nothing but the game is loaded, and nothing asks for a person.
  yield* ["--no-first-run", "--no-default-browser-check", "--disable-background-networking"];
  yield* ["--disable-component-update", "--disable-sync", "--disable-extensions", "--hide-scrollbars", "--mute-audio"];
  // As after a click of the player.
  yield "--autoplay-policy=no-user-gesture-required";
  // WebGL also on a machine without a graphics card, as in CI.
  yield "--enable-unsafe-swiftshader";
  yield* ["--disable-dev-shm-usage", "--lang=en-US"];
  // A container's root cannot make the sandbox. The page is the person's own build.
  if (process.platform === "linux" && process.getuid?.() === 0) yield "--no-sandbox";
}
