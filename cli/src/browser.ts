import { spawn } from "node:child_process";

/**
 * Opens a URL in the person's browser.
 *
 * @returns false where there is no screen; true does not promise that a browser started
 */
export function openInBrowser(url: URL, environment: NodeJS.ProcessEnv = process.env): boolean {
  const hasScreen = process.platform !== "linux" || environment["DISPLAY"] || environment["WAYLAND_DISPLAY"];
  if (!hasScreen) return false;
  const [program, ...args] = openers[process.platform] ?? ["xdg-open"];
  const child = spawn(program ?? "", [...args, url.href], { stdio: "ignore", detached: true });
  // The program may be missing. The person has the URL on the screen.
  child.on("error", () => {});
  child.unref();
  return true;
}

const openers: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ["open"],
  // Not "start": it is a shell command, which & in a URL would end.
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};
