import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
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
    cwd: person.home,
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

/** An API and a store of which each upload takes a while. */
async function startSlowPublishing(): Promise<MisbehavingServer> {
  const none = { count: 0, paths: [] };
  const release = {
    id: "r1",
    status: "open",
    files: 1,
    bytes: 1,
    created_at: "",
    published_at: null,
    expires_at: null,
  };
  const slow: MisbehavingServer = await startMisbehavingServer(async (request, response) => {
    const body = (await request.toArray()).join("");
    if (request.method === "PUT") return void setTimeout(() => response.end(), 300);
    const sent = JSON.parse(body);
    if (request.url?.endsWith("/publish")) return sendJson(response, 200, { release, previous_release: null });
    const upload = (sha256: string) => ({ sha256, url: `${slow.origin}/${sha256}`, headers: {} });
    if (request.url?.endsWith("/uploads"))
      return sendJson(response, 200, { uploads: sent.sha256.map(upload), expires_at: "2126-01-01T00:00:00Z" });
    const missing = [...new Set(sent.files.map(({ sha256 }: { sha256: string }) => sha256))];
    const changes = { added: none, changed: none, removed: none, unchanged: { count: 0 } };
    sendJson(response, 201, { release, current_release: null, ...changes, missing, bytes_to_send: 1 });
  });
  return slow;
}

test("publishing shows a bar on a terminal, which is gone at the end, and none elsewhere", async () => {
  const slow = await startSlowPublishing();
  try {
    mkdirSync(join(person.home, "game"));
    writeFileSync(join(person.home, "game", "index.html"), "<h1>Game</h1>");
    const env = { SVC_API: slow.origin, SVC_TOKEN: inventToken() };
    const elsewhere = await person.run(["publish", "game", "--project", "game"], { env });
    expect({ code: elsewhere.code, stderr: elsewhere.stderr }).toEqual({ code: 0, stderr: "" });
    if (!hasScript) return;
    const { code, shown } = await runOnTerminal("publish game --project game", { env });
    expect(code).toBe(0);
    const views = shown.split("\r\u001b[K");
    expect(views.find((view) => view.startsWith("Uploading"))).toMatch(/\[.*[#·].*\] {2}[01]\/1 files/);
    // What is left on the screen after the last clearing of the line.
    expect(views.at(-1)).toContain("\u001b[32mPublished\u001b[39m 1 file ");
  } finally {
    await slow.stop();
  }
});

test("there is no colour where standard output is no terminal", async () => {
  const { stdout } = await person.run(["whoami"], { env: { SVC_API: server.origin, SVC_TOKEN: inventToken() } });
  expect(stdout).not.toContain("\u001b");
});
