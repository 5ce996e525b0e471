import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { installedBrowser } from "./installed-browser.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-browsers-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function install(path: string, mode = 0o755): string {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, "");
  chmodSync(file, mode);
  return file;
}

test("a browser of the PATH is found, the one without windows first", () => {
  const environment = { PATH: [join(folder, "a"), join(folder, "b")].join(":") };
  const find = () => installedBrowser(undefined, { platform: "linux", environment });
  expect(find).toThrow("No Chromium, Chrome or Edge is installed here.");
  install("a/chromium", 0o644);
  mkdirSync(join(folder, "a/google-chrome"));
  expect(find).toThrow("No Chromium, Chrome or Edge is installed here.");
  const edge = install("b/microsoft-edge");
  expect(find()).toBe(edge);
  const shell = install("b/chromium-headless-shell");
  expect(find()).toBe(shell);
});

test("a relative folder of the PATH is left out: a game could have a program of that name", () => {
  const shell = install("bin/chromium");
  const environment = { PATH: relative(process.cwd(), dirname(shell)) };
  expect(() => installedBrowser(undefined, { platform: "linux", environment })).toThrow("No Chromium");
});

test("applications of macOS and programs of Windows are found where they are installed", () => {
  const chrome = install("Applications/Google Chrome.app/Contents/MacOS/Google Chrome");
  expect(installedBrowser(undefined, { platform: "darwin", environment: { HOME: folder } })).toBe(chrome);
  const edge = install("Microsoft/Edge/Application/msedge.exe");
  const environment = { "ProgramFiles(x86)": folder };
  expect(installedBrowser(undefined, { platform: "win32", environment })).toBe(edge);
});

test("a flag wins over CHROME_PATH, which wins over the PATH; what either names must be a program", () => {
  const [installed, named, chosen] = [install("bin/chromium"), install("own/chrome"), install("other/chrome")];
  const environment = { PATH: dirname(installed), CHROME_PATH: named };
  expect(installedBrowser(chosen, { platform: "linux", environment })).toBe(chosen);
  expect(installedBrowser(undefined, { platform: "linux", environment })).toBe(named);
  const missing = { ...environment, CHROME_PATH: join(folder, "none") };
  expect(() => installedBrowser(undefined, { platform: "linux", environment: missing })).toThrow("is no program");
});
