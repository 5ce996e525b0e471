import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { pathToFileURL } from "node:url";
import { homeDirectory } from "../home-directory.ts";

/** A file that leads a browser to a URL, and that only this user can read. */
export interface PrivatePage {
  /** `file:`; it may stand in a process list. */
  readonly url: string;
  remove(): void;
}

/**
 * Writes a page that leads to a URL. The arguments of a program are visible to every user of the machine, and with the
 * `state` and challenge of a login another one could finish it as somebody else.
 *
 * In the home directory, in a folder whose name has no dot first: browsers in a sandbox (snap) read no other files.
 */
export function privatePage(url: URL): PrivatePage {
  const folder = makeFolder();
  const { extension, content } = pageTo(url, process.platform);
  const file = path.join(folder, `svc-login.${extension}`);
  const remove = () => {
    process.off("exit", remove);
    fs.rmSync(folder, { recursive: true, force: true });
  };
  // Also if the login is interrupted.
  process.on("exit", remove);
  fs.writeFileSync(file, content, { mode: 0o600, flag: "wx" });
  return { url: pathToFileURL(file).href, remove };
}

/** mkdtemp gives it the mode 0700. */
function makeFolder(): string {
  try {
    return fs.mkdtempSync(path.join(homeDirectory() || os.tmpdir(), "svc-login-"));
  } catch {
    return fs.mkdtempSync(path.join(os.tmpdir(), "svc-login-"));
  }
}

/** Windows and macOS open their own kind of file in the browser, but many of them .html in an editor. */
export function pageTo({ href }: URL, platform: NodeJS.Platform): { extension: string; content: string } {
  if (platform === "win32") return { extension: "url", content: `[InternetShortcut]\r\nURL=${href}\r\n` };
  const target = href.replace(/&/g, "&amp;").replace(/"/g, "&quot;").replace(/</g, "&lt;");
  if (platform === "darwin")
    return {
      extension: "webloc",
      content: `<?xml version="1.0" encoding="UTF-8"?>\n<plist version="1.0"><dict><key>URL</key><string>${target}</string></dict></plist>\n`,
    };
  const content = `<!doctype html><html lang="en"><meta charset="utf-8"><title>svc login</title><meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0;url=${target}"><a href="${target}">Approve the login of svc</a></html>\n`;
  return { extension: "html", content };
}
