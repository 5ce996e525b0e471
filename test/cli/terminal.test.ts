import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import {
  assertNoTokens,
  type CliUser,
  cliEnvironment,
  cliProgram,
  createCliUser,
  inventToken,
} from "../support/cli.ts";
import { goodMe, type MisbehavingServer, sendJson, startMisbehavingServer } from "../support/misbehaving-server.ts";
import { startPublishingApi } from "../support/publishing-api.ts";

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

interface TerminalRun {
  /** Sent as soon as a prompt is seen. */
  readonly typed?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Told all that the screen has been sent so far, whenever there is more. */
  onShown?(shown: string): void;
}

/** Runs svc on a pseudo-terminal. */
function runOnTerminal(args: string, { typed, env, onShown }: TerminalRun = {}) {
  const command = `${process.execPath} ${cliProgram} ${args}`;
  const child = spawn("script", ["--quiet", "--return", "--command", command, "/dev/null"], {
    cwd: person.home,
    env: cliEnvironment(person.home, { SVC_API: server.origin, TERM: "xterm", ...env }),
    timeout: 60_000,
    killSignal: "SIGKILL",
  });
  let shown = "";
  let left = typed;
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    shown += chunk;
    onShown?.(shown);
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

describe("publishing", () => {
  const publishing = { SVC_TOKEN: inventToken() };
  beforeEach(() => {
    mkdirSync(join(person.home, "game"));
    writeFileSync(join(person.home, "game", "index.html"), "<h1>Game</h1>");
  });

  (hasScript ? test : test.skip)("shows a bar on a terminal, which is gone at the end", async () => {
    const bar = Promise.withResolvers<void>();
    const api = await startPublishingApi({ upload: (_, response) => bar.promise.then(() => response.end()) });
    try {
      const { code, shown } = await runOnTerminal("publish game --project game", {
        env: { ...publishing, SVC_API: api.origin },
        onShown: (text) => text.includes("Uploading  [") && bar.resolve(),
      });
      expect(code).toBe(0);
      const views = shown.split("\r\u001b[K");
      expect(views.find((view) => view.startsWith("Uploading"))).toMatch(/\[.*[#·].*\] {2}[01]\/1 files/);
      // What is left on the screen after the last clearing of the line.
      expect(views.at(-1)).toContain("\u001b[32mPublished\u001b[39m 1 file ");
    } finally {
      await api.stop();
    }
  });

  test("shows no bar elsewhere", async () => {
    const api = await startPublishingApi();
    try {
      const env = { ...publishing, SVC_API: api.origin };
      const { code, stdout, stderr } = await person.run(["publish", "game", "--project", "game"], { env });
      expect(code).toBe(0);
      for (const mark of ["\r", "\u001b", "[#", "[·"]) expect(stdout + stderr).not.toContain(mark);
    } finally {
      await api.stop();
    }
  });
});

test("there is no colour where standard output is no terminal", async () => {
  const { stdout } = await person.run(["whoami"], { env: { SVC_API: server.origin, SVC_TOKEN: inventToken() } });
  expect(stdout).not.toContain("\u001b");
});
