import * as path from "node:path";
import { exitCodes, UserError } from "../errors.ts";
import { isProgram, programFolders } from "../program-path.ts";

/** Names of programs in the PATH, as distributions call them; the one without windows first, which starts fastest. */
const programs = [
  "chromium-headless-shell",
  "chromium",
  "chromium-browser",
  "google-chrome-stable",
  "google-chrome",
  "chrome",
  "microsoft-edge-stable",
  "microsoft-edge",
];

const macApplications = ["Google Chrome", "Chromium", "Microsoft Edge", "Brave Browser"];

const windowsPrograms = [
  ["Google", "Chrome", "Application", "chrome.exe"],
  ["Chromium", "Application", "chrome.exe"],
  ["Microsoft", "Edge", "Application", "msedge.exe"],
];

export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly environment: NodeJS.ProcessEnv;
}

/**
 * A browser of Chromium's family that is installed: the one that `--browser` or `CHROME_PATH` names, else one of those that the system has.
 * Nothing is downloaded.
 *
 * @throws UserError with the exit code for "not measured" if there is none
 */
export function installedBrowser(chosen: string | undefined, machine: Machine): string {
  const named = chosen ?? machine.environment["CHROME_PATH"];
  const program = named ? [named].find(isProgram) : candidates(machine).find(isProgram);
  if (program !== undefined) return program;
  throw new UserError(named ? `${named} is no program.` : "No Chromium, Chrome or Edge is installed here.", {
    code: "browser_missing",
    exitCode: exitCodes.unmeasured,
    next: "Install one, or name its program: svc check --browser PATH. Nothing was started, so nothing is known about the game.",
  });
}

function candidates({ platform, environment }: Machine): string[] {
  if (platform === "win32") {
    const folders = ["ProgramFiles", "ProgramFiles(x86)", "LOCALAPPDATA"].map((name) => environment[name] ?? "");
    return windowsPrograms.flatMap((parts) => folders.filter(Boolean).map((folder) => path.join(folder, ...parts)));
  }
  const inPath = programFolders(environment);
  const named = programs.flatMap((name) => inPath.map((folder) => path.join(folder, name)));
  if (platform !== "darwin") return named;
  const folders = ["/Applications", path.join(environment["HOME"] ?? "/", "Applications")];
  return [
    ...macApplications.flatMap((name) => folders.map((folder) => `${folder}/${name}.app/Contents/MacOS/${name}`)),
    ...named,
  ];
}
