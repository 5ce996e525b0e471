import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { cliProgram, credentialFileWith, inventToken, modeOf, saveCredentials } from "../support/cli/cli.ts";
import { goodMe, respondAsGoodApi, startMisbehavingServer } from "../support/network/misbehaving-server.ts";
import { duringTests, useCliUser } from "../support/service/suite.ts";

const token = inventToken();
const server = duringTests(() => startMisbehavingServer(respondAsGoodApi));
const person = useCliUser();

const login = (credential = token, env: Record<string, string> = {}) =>
  person.run(["login", "--token", "-"], { input: credential, env: { SVC_API: server.origin, ...env } });
const whoami = (env: Record<string, string> = {}) => person.run(["whoami"], { env });
const contents = (credential = token) => credentialFileWith(server.origin, credential, goodMe.user);

describe("the path", () => {
  test("XDG_CONFIG_HOME chooses the place", async () => {
    const place = join(person.home, "elsewhere");
    expect((await login(token, { XDG_CONFIG_HOME: place })).code).toBe(0);
    expect(readFileSync(join(place, "svc", "credentials"), "utf8")).toBe(contents());
    expect([modeOf(place), modeOf(join(place, "svc"))]).toEqual([0o700, 0o700]);
  });
});

describe("the modes", () => {
  test.each(["000", "277"])("let only the owner read and write, with umask %s", async (umask) => {
    const shell = ["/bin/sh", "-c", `umask ${umask}; exec "$@"`, "sh", process.execPath, cliProgram];
    const { code } = await person.run(["login", "--token", "-"], {
      input: token,
      env: { SVC_API: server.origin },
      program: shell,
    });
    expect(code).toBe(0);
    expect(modeOf(person.credentialFile)).toBe(0o600);
    expect(modeOf(dirname(person.credentialFile))).toBe(0o700);
  });

  test("an existing directory keeps its mode", async () => {
    mkdirSync(dirname(person.credentialFile), { recursive: true });
    chmodSync(dirname(person.credentialFile), 0o755);
    await login();
    expect(modeOf(dirname(person.credentialFile))).toBe(0o755);
    expect(modeOf(person.credentialFile)).toBe(0o600);
  });

  test("a file that others can read is replaced by one that they cannot", async () => {
    saveCredentials(person, contents());
    chmodSync(person.credentialFile, 0o666);
    await login(inventToken());
    expect(modeOf(person.credentialFile)).toBe(0o600);
  });

  test("a file that others can read is repaired on reading, with a warning", async () => {
    saveCredentials(person, contents());
    chmodSync(person.credentialFile, 0o644);
    const { code, stderr } = await whoami();
    expect(code).toBe(0);
    expect(stderr).toBe(
      `warning: Other users could open ${person.credentialFile} (mode 0644); its mode is 0600 now. If other people use this machine, revoke the token and create a new one.\n`,
    );
    expect(modeOf(person.credentialFile)).toBe(0o600);
    expect((await whoami()).stderr).toBe("");
  });
});

describe("the content", () => {
  test("a token for each API, the latest login first; a new one replaces that of the same API", async () => {
    const second = await startMisbehavingServer(respondAsGoodApi);
    try {
      const [a, b, c] = [inventToken(), inventToken(), inventToken()];
      await login(a);
      await person.run(["login", "--token", "-", "--api", second.origin], { input: b });
      expect((await whoami()).stdout).toContain(`${second.origin} (from the last login)`);
      await login(c);
      expect(readFileSync(person.credentialFile, "utf8")).toBe(
        `${contents(c)}${second.origin} ${b} ada Ada%20Lovelace\n`,
      );
      await person.run(["whoami", "--api", second.origin]);
      expect(second.requests.at(-1)?.authorization).toBe(`Bearer ${b}`);
    } finally {
      await second.stop();
    }
  });

  test("damage is reported, and login repairs it", async () => {
    saveCredentials(person, "http://127.0.0.1:1 pat_abc");
    const { code, stderr } = await whoami();
    expect(code).toBe(1);
    expect(stderr).toBe(
      `error: Line 1 of ${person.credentialFile} is damaged.\n  credential_file_damaged\n  next: svc login replaces the file.\n`,
    );
    expect((await login()).code).toBe(0);
    expect(readFileSync(person.credentialFile, "utf8")).toBe(contents());
  });
});

test("a file that cannot be read gives an error that says what to do", async () => {
  // A name that no file system takes is one that root cannot read either.
  const { code, json } = await person.run(["whoami", "--json"], {
    env: { SVC_API: server.origin, XDG_CONFIG_HOME: `/${"a".repeat(300)}` },
  });
  expect(code).toBe(1);
  expect(json.error).toMatchObject({
    code: "credential_file_unreadable",
    next: "Make it readable for you, or remove it and log in again. With SVC_TOKEN no file is needed.",
  });
});

test("a FIFO instead of the file is refused without waiting", async () => {
  mkdirSync(dirname(person.credentialFile), { recursive: true });
  execFileSync("mkfifo", [person.credentialFile]);
  const { code, stderr } = await whoami({ SVC_API: server.origin });
  expect(code).toBe(1);
  expect(stderr).toContain("is not a regular file");
});

test("the temporary file of a killed login is removed by a login a minute later, and by logout at once", async () => {
  mkdirSync(dirname(person.credentialFile), { recursive: true });
  const [old, young, other] = ["credentials.1-a.tmp", "credentials.2-b.tmp", "credentials.tmp"].map((name) =>
    join(dirname(person.credentialFile), name),
  ) as [string, string, string];
  for (const file of [old, young, other]) writeFileSync(file, "");
  const minuteAgo = new Date(Date.now() - 61_000);
  utimesSync(old, minuteAgo, minuteAgo);
  await login();
  expect([old, young, other].map((file) => existsSync(file))).toEqual([false, true, true]);
  await person.run(["logout"]);
  expect([young, other].map((file) => existsSync(file))).toEqual([false, true]);
});

describe("a symbolic link", () => {
  test("is not followed, neither to read nor to write", async () => {
    const target = join(person.home, "target");
    writeFileSync(target, contents());
    mkdirSync(dirname(person.credentialFile), { recursive: true });
    symlinkSync(target, person.credentialFile);
    for (const result of [await whoami(), await login(inventToken())]) {
      expect(result.code).toBe(1);
      expect(result.stderr).toContain("is not a regular file");
    }
    expect(readFileSync(target, "utf8")).toBe(contents());
  });

  test("is removed by logout, but not its target", async () => {
    const target = join(person.home, "target");
    writeFileSync(target, contents());
    mkdirSync(dirname(person.credentialFile), { recursive: true });
    symlinkSync(target, person.credentialFile);
    expect((await person.run(["logout", "--json"])).json.removed).toBe(true);
    expect(readFileSync(target, "utf8")).toBe(contents());
  });
});

test("a directory that cannot be written gives an error, and nothing is changed", async () => {
  // /proc/self takes no files, from root neither.
  const { code, json } = await person.run(["login", "--token", "-", "--json"], {
    input: token,
    env: { SVC_API: server.origin, XDG_CONFIG_HOME: "/proc/self" },
  });
  expect(code).toBe(1);
  expect(json.error.code).toBe("credential_not_saved");
});
