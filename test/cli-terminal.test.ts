import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { assertNoTokens, type CliUser, cliEnvironment, cliProgram, createCliUser, inventToken } from "./support/cli.ts";
import { goodMe, type MisbehavingServer, sendJson, startMisbehavingServer } from "./support/misbehaving-server.ts";

// util-linux's script gives a pseudo-terminal; node alone has none. Without it, token-input.test.ts still tests the prompt.
const hasScript = spawnSync("script", ["--version"], { encoding: "utf8" }).stdout?.includes("util-linux") ?? false;
const onTerminal = hasScript ? describe : describe.skip;

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

/** Runs svc on a pseudo-terminal; `typed` is sent as soon as a prompt is seen. */
function runOnTerminal(args: string, { typed, env }: { typed?: string; env?: Record<string, string> } = {}) {
  const command = `${process.execPath} ${cliProgram} ${args}`;
  const child = spawn("script", ["--quiet", "--return", "--command", command, "/dev/null"], {
    env: cliEnvironment(person.home, { SVC_API: server.origin, TERM: "xterm", ...env }),
    timeout: 60_000,
    killSignal: "SIGKILL",
  });
  let shown = "";
  let left = typed;
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    shown += chunk;
    if (left === undefined || !shown.includes("Token for")) return;
    child.stdin.write(left);
    left = undefined;
  });
  return new Promise<{ code: number | null; shown: string }>((resolve) =>
    child.on("close", (code) => {
      assertNoTokens(shown, [typed ?? "", ...Object.values(env ?? {})]);
      resolve({ code, shown });
    }),
  );
}

onTerminal("on a terminal", () => {
  test("svc login asks, and shows nothing of what is typed", async () => {
    const token = inventToken();
    const { code, shown } = await runOnTerminal("login", { typed: `${token}\r` });
    expect(shown).toMatch(new RegExp(`^Token for ${server.origin}: \\r\\nLogged in to `));
    expect(code).toBe(0);
    expect(readFileSync(person.credentialFile, "utf8")).toContain(token);
  });

  test("svc login --token - asks too, so that a typed token is not shown", async () => {
    const { code } = await runOnTerminal("login --token -", { typed: `${inventToken()}\r` });
    expect(code).toBe(0);
  });

  test("Ctrl-C at the prompt ends it with 130", async () => {
    const { code, shown } = await runOnTerminal("login", { typed: "pat_abc\u0003" });
    expect(code).toBe(130);
    expect(shown).toContain("Interrupted; nothing was saved.");
  });

  test("there is colour, and none with NO_COLOR or TERM=dumb", async () => {
    const env = { SVC_TOKEN: inventToken() };
    expect((await runOnTerminal("whoami", { env })).shown).toContain("\u001b[1mAda Lovelace\u001b[22m");
    for (const plain of [{ NO_COLOR: "1" }, { TERM: "dumb" }])
      expect((await runOnTerminal("whoami", { env: { ...env, ...plain } })).shown).not.toContain("\u001b[");
    expect((await runOnTerminal("whoami --json", { env })).shown).not.toContain("\u001b[");
    expect((await runOnTerminal("nonsense", { env })).shown).toContain("\u001b[31m");
  });
});

test("there is no colour where standard output is no terminal", async () => {
  const { stdout } = await person.run(["whoami"], { env: { SVC_API: server.origin, SVC_TOKEN: inventToken() } });
  expect(stdout).not.toContain("\u001b");
});
