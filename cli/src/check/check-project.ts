import { unlessAborted } from "../../../contract/retries.ts";
import { type Check, type CheckOptions, checkFolder } from "./check-folder.ts";
import { DevTools } from "./devtools.ts";
import { installedBrowser } from "./installed-browser.ts";
import { screens, type Visit, visit } from "./visit.ts";

export interface CheckRequest extends Omit<CheckOptions, "devTools" | "screens"> {
  /** The program of the browser; undefined: an installed one. */
  readonly browser: string | undefined;
  /** Where the live release is played, to be compared; that is one play of it. */
  readonly live?: URL | undefined;
  readonly signal: AbortSignal;
}

export interface ProjectCheck {
  readonly check: Check;
  /** A visit of the live release; undefined: none was wanted. */
  readonly liveVisit: Visit | undefined;
  /** The program that was used. */
  readonly browser: string;
}

/**
 * Checks a folder in a browser that is started for it, and beside it the live release.
 *
 * @throws UserError if `svc publish` would refuse the folder; with the exit code for "not measured" if no browser is installed or starts; the
 *   signal's reason
 */
export async function checkProject({ browser, live, signal, ...folder }: CheckRequest): Promise<ProjectCheck> {
  const { waitSeconds } = folder;
  const program = installedBrowser(browser, { platform: process.platform, environment: process.env });
  const devTools = await DevTools.start(program);
  const checkBoth = async () => {
    const check = await checkFolder({ ...folder, devTools });
    const [screen] = screens;
    const liveVisit = live && screen && (await visit({ devTools, url: live, screen, waitSeconds }));
    return { check, liveVisit, browser: program };
  };
  try {
    return await unlessAborted(checkBoth(), signal);
  } finally {
    await devTools.close();
  }
}
