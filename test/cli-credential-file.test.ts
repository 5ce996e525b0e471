import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { type CliUser, cliEnvironment, cliProgram, createCliUser, inventToken } from "./support/cli.ts";
import { goodMe, type MisbehavingServer, sendJson, startMisbehavingServer } from "./support/misbehaving-server.ts";

const token = inventToken();
let server: MisbehavingServer;
let person: CliUser;

beforeAll(async () => {
  server = await startMisbehavingServer((_, response) => sendJson(response, 200, goodMe));
});
afterAll(() => server.stop());
beforeEach(() => {
  person = createCliUser();
});
afterEach(() => person.leave());

const login = (credential = token, env: Record<string, string> = {}) =>
  person.run(["login", "--token", "-"], { input: credential, env: { SVC_API: server.origin, ...env } });
const whoami = (env: Record<string, string> = {}) => person.run(["whoami"], { env });
const modeOf = (path: string) => statSync(path).mode & 0o777;
const contents = (credential = token) =>
  `# Tokens of svc, the latest login first. Keep this file to yourself.\n${server.origin} ${credential}\n`;

describe("where it is", () => {
  test("XDG_CONFIG_HOME chooses the place", async () => {
    const place = join(person.home, "elsewhere");
    expect((await login(token, { XDG_CONFIG_HOME: place })).code).toBe(0);
    expect(readFileSync(join(place, "svc", "credentials"), "utf8")).toBe(contents());
    expect([modeOf(place), modeOf(join(place, "svc"))]).toEqual([0o700, 0o700]);
  });

  test.each([
    ["empty", ""],
    ["relative", "somewhere/else"],
  ])("an XDG_CONFIG_HOME that is %s counts as unset", async (_, value) => {
    expect((await login(token, { XDG_CONFIG_HOME: value })).code).toBe(0);
    expect(existsSync(person.credentialFile)).toBe(true);
  });
});

describe("modes", () => {
  test("are narrow under a wide umask, and stay so", async () => {
    const shell = ["/bin/sh", "-c", 'umask 000; exec "$@"', "sh", process.execPath, cliProgram];
    const { code } = await person.run(["login", "--token", "-"], {
      input: token,
      env: { SVC_API: server.origin },
      program: shell,
    });
    expect(code).toBe(0);
    expect(modeOf(person.credentialFile)).toBe(0o600);
    expect(modeOf(dirname(person.credentialFile))).toBe(0o700);
  });

  test("a directory that was there keeps its mode", async () => {
    mkdirSync(dirname(person.credentialFile), { recursive: true });
    chmodSync(dirname(person.credentialFile), 0o755);
    await login();
    expect(modeOf(dirname(person.credentialFile))).toBe(0o755);
    expect(modeOf(person.credentialFile)).toBe(0o600);
  });

  test("a wider file is replaced by a narrow one", async () => {
    await login();
    chmodSync(person.credentialFile, 0o666);
    await login(inventToken());
    expect(modeOf(person.credentialFile)).toBe(0o600);
  });

  test("a wider file is repaired on reading, with a warning", async () => {
    await login();
    chmodSync(person.credentialFile, 0o644);
    const { code, stderr } = await whoami();
    expect(code).toBe(0);
    expect(stderr).toBe(
      `warning: ${person.credentialFile} was open to others (mode 0644); it is 0600 now. If other people use this machine, revoke the token and create a new one.\n`,
    );
    expect(modeOf(person.credentialFile)).toBe(0o600);
    expect((await whoami()).stderr).toBe("");
  });
});

describe("what is in it", () => {
  test("a token for each API, the latest login first; a new one replaces that of the same API", async () => {
    const second = await startMisbehavingServer((_, response) => sendJson(response, 200, goodMe));
    try {
      const [a, b, c] = [inventToken(), inventToken(), inventToken()];
      await login(a);
      await person.run(["login", "--token", "-", "--api", second.origin], { input: b });
      expect((await whoami()).stdout).toContain(`${second.origin} (from the last login)`);
      await login(c);
      expect(readFileSync(person.credentialFile, "utf8")).toBe(`${contents(c)}${second.origin} ${b}\n`);
      await person.run(["whoami", "--api", second.origin]);
      expect(second.requests.at(-1)?.authorization).toBe(`Bearer ${b}`);
    } finally {
      await second.stop();
    }
  });

  test.each([
    ["half a line", `${"http://127.0.0.1:1 pat_abc"}`],
    ["something else", '{"token": 1}\n'],
    ["three words", "http://127.0.0.1:1 a b\n"],
  ])("%s is told as damage, and login repairs it", async (_, text) => {
    await login();
    writeFileSync(person.credentialFile, text);
    const { code, stderr } = await whoami();
    expect(code).toBe(1);
    expect(stderr).toBe(
      `error: Line 1 of ${person.credentialFile} is damaged.\n  credential_file_damaged\n  next: svc login writes it anew.\n`,
    );
    const repaired = await login();
    expect(repaired.code).toBe(0);
    expect(readFileSync(person.credentialFile, "utf8")).toBe(contents());
  });

  test("lines of a Windows editor are read", async () => {
    await login();
    writeFileSync(person.credentialFile, contents().replaceAll("\n", "\r\n"));
    expect((await whoami()).code).toBe(0);
  });
});

describe("a symbolic link", () => {
  test("is neither read nor written through", async () => {
    const target = join(person.home, "target");
    writeFileSync(target, contents());
    mkdirSync(dirname(person.credentialFile), { recursive: true });
    symlinkSync(target, person.credentialFile);
    for (const result of [await whoami(), await login(inventToken())]) {
      expect(result.code).toBe(1);
      expect(result.stderr).toContain("is a symbolic link or no regular file");
    }
    expect(readFileSync(target, "utf8")).toBe(contents());
  });

  test("is removed by logout, not what it leads to", async () => {
    const target = join(person.home, "target");
    writeFileSync(target, contents());
    mkdirSync(dirname(person.credentialFile), { recursive: true });
    symlinkSync(target, person.credentialFile);
    expect((await person.run(["logout", "--json"])).json.removed).toBe(true);
    expect(readFileSync(target, "utf8")).toBe(contents());
  });
});

test("a directory in which nothing can be written is told, and nothing is changed", async () => {
  // /proc/self takes no files, from root neither.
  const { code, json } = await person.run(["login", "--token", "-", "--json"], {
    input: token,
    env: { SVC_API: server.origin, XDG_CONFIG_HOME: "/proc/self" },
  });
  expect(code).toBe(1);
  expect(json.error.code).toBe("credential_not_saved");
});

const another = `http://127.0.0.1:9 ${inventToken()}\n`;

/** What stands in the file before a login, and after one that is not killed. */
const beginnings = {
  "no file": { first: undefined, mode: 0, last: () => contents() },
  "a file": { first: () => contents(inventToken()), mode: 0o600, last: () => contents() },
  "a file that is open to others": { first: () => contents(inventToken()), mode: 0o666, last: () => contents() },
  "a file with a token for another API": { first: () => another, mode: 0o600, last: () => contents() + another },
} as const;

describe("killed with", () => {
  test.each(Object.entries(beginnings))(
    "%s at any of its steps, login leaves the old file or the new one, whole",
    async (_, { first, mode, last }) => {
      const arrange = () => {
        // What the killed login before left would be steps more.
        rmSync(dirname(person.credentialFile), { recursive: true, force: true });
        mkdirSync(dirname(person.credentialFile), { recursive: true });
        if (first === undefined) return undefined;
        const content = first();
        writeFileSync(person.credentialFile, content);
        chmodSync(person.credentialFile, mode);
        return content;
      };
      arrange();
      const { stderr } = await endedLogin({ killAtStep: Number.POSITIVE_INFINITY });
      const steps = Number(/^(\d+) steps$/m.exec(stderr)?.[1]);
      expect(readFileSync(person.credentialFile, "utf8")).toBe(last());
      const seen = { old: 0, new: 0 };
      for (let killAtStep = 0; killAtStep < steps; killAtStep += 1) {
        const old = arrange();
        expect((await endedLogin({ killAtStep })).signal).toBe("SIGKILL");
        const left = existsSync(person.credentialFile) ? readFileSync(person.credentialFile, "utf8") : undefined;
        expect([old, last()]).toContain(left);
        seen[left === old ? "old" : "new"] += 1;
        if (left === last()) expect(modeOf(person.credentialFile)).toBe(0o600);
      }
      expect(Math.min(seen.old, seen.new)).toBeGreaterThan(0);
      await person.run(["logout"]);
      expect(readdirSync(dirname(person.credentialFile))).toEqual([]);
    },
  );

  test("another login beside it at any time, a hundred times, login leaves one of the files, whole", async () => {
    const credentials = [inventToken(), inventToken(), inventToken(), inventToken()];
    await login(credentials[0]);
    const began = performance.now();
    await endedLogin({});
    const took = performance.now() - began;
    for (let batch = 0; batch < 25; batch += 1) {
      await Promise.all(
        credentials.map((credential) => endedLogin({ credential, killAfterMilliseconds: Math.random() * took * 1.5 })),
      );
      const left = readFileSync(person.credentialFile, "utf8");
      expect([contents(), ...credentials.map((credential) => contents(credential))]).toContain(left);
      expect(modeOf(person.credentialFile)).toBe(0o600);
    }
    await person.run(["logout"]);
    expect(readdirSync(dirname(person.credentialFile))).toEqual([]);
  }, 60_000);
});

const killAtStepFile = fileURLToPath(new URL("support/kill-at-step.cjs", import.meta.url));

/** A login that is killed at a step (see kill-at-step.cjs), or after some time, or ends by itself before. */
async function endedLogin(ending: { credential?: string; killAtStep?: number; killAfterMilliseconds?: number }) {
  const { credential = token, killAtStep, killAfterMilliseconds } = ending;
  const steps = killAtStep !== undefined && {
    NODE_OPTIONS: `--require=${killAtStepFile}`,
    KILL_AT_STEP: String(killAtStep),
  };
  const child = spawn(process.execPath, [cliProgram, "login", "--token", "-", "--no-verify"], {
    env: cliEnvironment(person.home, { SVC_API: server.origin, ...steps }),
    stdio: ["pipe", "ignore", "pipe"],
  });
  child.stdin.on("error", () => {}).end(credential);
  const timer = setTimeout(() => child.kill("SIGKILL"), killAfterMilliseconds ?? 60_000);
  const [stderr, [, signal]] = await Promise.all([text(child.stderr), once(child, "close")]);
  clearTimeout(timer);
  return { stderr, signal };
}
