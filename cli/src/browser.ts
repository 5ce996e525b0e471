import { spawn } from "node:child_process";
import type { PrivatePage } from "./sign-in/private-page.ts";

/** Whether a browser could show something here. */
export function hasScreen(): boolean {
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  return process.platform !== "linux" || Boolean(DISPLAY || WAYLAND_DISPLAY);
}

/**
 * Starts the program that BROWSER names, else the system's browser. A failure is ignored: the person has the URL.
 *
 * @throws Error for a URL that is neither http nor https, unless svc wrote the page itself: it may come from the API, and the system
 *   would start another program with it
 */
export function openInBrowser(page: URL | PrivatePage): void {
  if (page instanceof URL && !["http:", "https:"].includes(page.protocol))
    throw new Error("Only web pages are opened.");
  const url = page instanceof URL ? page.href : page.url;
  const [program = "", ...args] = browserCommand();
  const child = spawn(program, [...args, url], { stdio: "ignore", detached: true });
  child.on("error", () => undefined);
  child.unref();
}

function browserCommand(): string[] {
  const chosen = process.env["BROWSER"]?.trim();
  if (chosen) return [chosen];
  if (process.platform === "darwin") return ["open"];
  // Not through cmd, where & in a URL would end the command.
  if (process.platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler"];
  return ["xdg-open"];
}
