import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "@jest/globals";
import { cliEnvironment, cliProgram, credentialFileWith, inventToken, modeOf } from "../../support/cli/cli.ts";
import { useCliUser } from "../../support/service/suite.ts";

/*
 * `svc login` is killed with -9 at each of its steps, and at any time beside other logins. The credential file is then
 * the complete old or the complete new one, and its mode is 0600.
 */
const api = "http://127.0.0.1:8787";
const token = inventToken();
const person = useCliUser();

const contents = (credential = token) => credentialFileWith(api, credential);
const another = `http://127.0.0.1:9 ${inventToken()}\n`;

/** Contents of the file before a login, and after one that is not killed. */
const beginnings = {
  "no file": { first: undefined, mode: 0, last: () => contents() },
  "a file": { first: () => contents(inventToken()), mode: 0o600, last: () => contents() },
  "a file that is open to others": { first: () => contents(inventToken()), mode: 0o666, last: () => contents() },
  "a file with a token for another API": { first: () => another, mode: 0o600, last: () => contents() + another },
} as const;

describe("killed with", () => {
  test.each(Object.entries(beginnings))(
    "%s at any of its steps, login leaves the complete old or new file",
    async (_, { first, mode, last }) => {
      const arrange = () => {
        // Removes what the killed login before left, because it would add steps.
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
      const seen = { old: 0, new: 0, temporary: 0 };
      for (let killAtStep = 0; killAtStep < steps; killAtStep += 1) {
        const old = arrange();
        expect((await endedLogin({ killAtStep })).signal).toBe("SIGKILL");
        const left = existsSync(person.credentialFile) ? readFileSync(person.credentialFile, "utf8") : undefined;
        expect([old, last()]).toContain(left);
        seen[left === old ? "old" : "new"] += 1;
        if (left === last()) expect(modeOf(person.credentialFile)).toBe(0o600);
        const temporary = readdirSync(dirname(person.credentialFile)).filter((name) => name.endsWith(".tmp"));
        for (const name of temporary) expect(modeOf(join(dirname(person.credentialFile), name))).toBe(0o600);
        seen.temporary += temporary.length;
      }
      expect(Math.min(seen.old, seen.new, seen.temporary)).toBeGreaterThan(0);
      await person.run(["logout"]);
      expect(readdirSync(dirname(person.credentialFile))).toEqual([]);
    },
  );

  test("another login beside it at any time, forty times, login leaves one complete file", async () => {
    const credentials = [inventToken(), inventToken(), inventToken(), inventToken()];
    const began = performance.now();
    await endedLogin({});
    const took = performance.now() - began;
    for (let batch = 0; batch < 10; batch += 1) {
      await Promise.all(
        credentials.map((credential) => endedLogin({ credential, killAfterMilliseconds: Math.random() * took * 1.5 })),
      );
      const left = readFileSync(person.credentialFile, "utf8");
      expect([contents(), ...credentials.map((credential) => contents(credential))]).toContain(left);
      expect(modeOf(person.credentialFile)).toBe(0o600);
    }
    await person.run(["logout"]);
    expect(readdirSync(dirname(person.credentialFile))).toEqual([]);
  });
});

const killAtStepFile = fileURLToPath(new URL("kill-at-step.cjs", import.meta.url));

/** A login that is killed at a step (see kill-at-step.cjs), or after some time, or exits by itself before. */
async function endedLogin(ending: { credential?: string; killAtStep?: number; killAfterMilliseconds?: number }) {
  const { credential = token, killAtStep, killAfterMilliseconds } = ending;
  const steps = killAtStep !== undefined && {
    NODE_OPTIONS: `--require=${killAtStepFile}`,
    KILL_AT_STEP: String(killAtStep),
  };
  const child = spawn(process.execPath, [cliProgram, "login", "--token", "-", "--no-verify"], {
    env: cliEnvironment(person.home, { SVC_API: api, ...steps }),
    stdio: ["pipe", "ignore", "pipe"],
  });
  child.stdin.on("error", () => {}).end(credential);
  const timer = setTimeout(() => child.kill("SIGKILL"), killAfterMilliseconds ?? 60_000);
  const [stderr, [, signal]] = await Promise.all([text(child.stderr), once(child, "close")]);
  clearTimeout(timer);
  return { stderr, signal };
}
