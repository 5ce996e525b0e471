import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import type { PrivatePage } from "./sign-in/private-page.ts";

/** Whether a browser could show something here. */
export function hasScreen(): boolean {
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  return process.platform !== "linux" || Boolean(DISPLAY || WAYLAND_DISPLAY);
}

/**
 * Starts the program that BROWSER names, with its arguments, else the system's browser. A failure is ignored: the person has the URL.
 *
 * @throws Error for a URL that is neither http nor https, unless svc wrote the page itself: it may come from the API, and the system
 *   would start another program with it
 */
export function openInBrowser(page: URL | PrivatePage): void {
  if (page instanceof URL && !["http:", "https:"].includes(page.protocol))
    throw new Error("Only web pages are opened.");
  const url = page instanceof URL ? page.href : page.url;
  const [program = "", ...args] = browserCommand(url);
  const child = spawn(program, args, { stdio: "ignore", detached: true });
  child.on("error", () => undefined);
  child.unref();
}

function browserCommand(url: string): string[] {
  const chosen = process.env["BROWSER"]?.trim();
  if (chosen) return chosenCommand(chosen, url);
  if (process.platform === "darwin") return ["open", url];
  // Not through cmd, where & in a URL would end the command.
  if (process.platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler", url];
  return ["xdg-open", url];
}

/** BROWSER as other programs read it: a program whose path may have spaces, or one with arguments, of which `%s` is the URL. */
export function chosenCommand(chosen: string, url: string): string[] {
  if (existsSync(chosen)) return [chosen, url];
  const words = chosen.split(/\s+/);
  return words.includes("%s") ? words.map((word) => (word === "%s" ? url : word)) : [...words, url];
}
