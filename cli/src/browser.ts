import { spawn } from "node:child_process";

/**
 * Opens an address in the person's browser.
 *
 * @returns whether there is a screen to open it on; whether a browser came up is not known
 */
export function openInBrowser(url: URL, environment: NodeJS.ProcessEnv = process.env): boolean {
  const hasScreen = process.platform !== "linux" || environment["DISPLAY"] || environment["WAYLAND_DISPLAY"];
  if (!hasScreen) return false;
  const [program, ...args] = openers[process.platform] ?? ["xdg-open"];
  const child = spawn(program ?? "", [...args, url.href], { stdio: "ignore", detached: true });
  // Without such a program the address is on the screen all the same.
  child.on("error", () => {});
  child.unref();
  return true;
}

const openers: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ["open"],
  // Not "start", which is a command of the shell: & in an address would end it.
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};
