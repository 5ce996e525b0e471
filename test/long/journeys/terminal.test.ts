import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "@jest/globals";
import { inventToken } from "../../support/cli/cli.ts";
import { startPublishingApi } from "../../support/cli/publishing-api.ts";
import { hasTerminal, onPseudoTerminal, plainText, type TerminalRun } from "../../support/cli/terminal.ts";
import {
  goodMe,
  respondAsGoodApi,
  sendJson,
  startMisbehavingServer,
} from "../../support/network/misbehaving-server.ts";
import { duringTests, useCliUser } from "../../support/service/suite.ts";

const onTerminal = hasTerminal ? describe : describe.skip;

const server = duringTests(() => startMisbehavingServer(respondAsGoodApi));
const person = useCliUser();

/** Runs svc on a pseudo-terminal, with the server as its API. */
const runOnTerminal = (args: string, { env, ...run }: TerminalRun = {}) =>
  onPseudoTerminal(person, args, { ...run, env: { SVC_API: server.origin, ...env } });

onTerminal("on a terminal", () => {
  test("svc login asks for a token, and does not show what is typed", async () => {
    const token = inventToken();
    const { code, shown } = await runOnTerminal("login", { typed: `${token}\r` });
    expect(shown).toMatch(new RegExp(`^Token for ${server.origin}: \\r\\nLogged in to `));
    expect(code).toBe(0);
    expect(readFileSync(person.credentialFile, "utf8")).toContain(token);
  });

  test("svc login --token - asks too, and does not show what is typed", async () => {
    const { code } = await runOnTerminal("login --token -", { typed: `${inventToken()}\r` });
    expect(code).toBe(0);
  });

  test("Ctrl-C at the prompt ends it with 130", async () => {
    const { code, shown } = await runOnTerminal("login", { typed: "pat_abc\u0003" });
    expect(code).toBe(130);
    expect(shown).toContain("Interrupted; nothing was saved.");
  });

  test("text is coloured, but not with NO_COLOR or TERM=dumb", async () => {
    const env = { SVC_TOKEN: inventToken() };
    expect((await runOnTerminal("whoami", { env })).shown).toContain("\u001b[1mAda Lovelace\u001b[22m");
    for (const plain of [{ NO_COLOR: "1" }, { TERM: "dumb" }])
      expect((await runOnTerminal("whoami", { env: { ...env, ...plain } })).shown).not.toContain("\u001b[");
    expect((await runOnTerminal("whoami --json", { env })).shown).not.toContain("\u001b[");
    expect((await runOnTerminal("nonsense", { env })).shown).toContain("\u001b[31m");
  });
});

describe("every command prints the same on a terminal as in a pipe", () => {
  const at = "2026-01-01T00:00:00.000Z";
  const release = {
    ...{
      id: "r1",
      number: 1,
      status: "live",
      files: 1,
      bytes: 5,
      created_at: at,
      published_at: at,
      first_published_at: at,
    },
    ...{ published_by: null, first_published_by: null, message: null, source: null, provenance: null, play_url: null },
  };
  const none = { count: 0, paths: [] };
  const settings = { isolation: false, immutable: [], spa: false, frame: "everybody", preload: [] };
  const choices = { left_out: [], index: null, picture: null, isolation_off: false };
  const bodies: Record<string, object> = {
    "GET /me": goodMe,
    "GET /projects": {
      projects: [{ slug: "game", name: "Game", current_release: { id: "r1", published_at: at } }],
      next_cursor: null,
    },
    "POST /projects": { slug: "my-game" },
    "GET /projects/game": { slug: "game", current_release: { id: "r0" } },
    "GET /projects/game/releases/r0/changes": {
      ...{ settings, choices, decided: { settings, choices } },
      changed_settings: [],
    },
    "GET /projects/game/releases": { releases: [release] },
    "POST /projects/game/releases/r1/publish": { release, previous_release: "r0" },
    "POST /projects/game/releases": {
      ...{ release, current_release: "r0", missing: [], bytes_to_send: 0, indexes: [] },
      ...{ older_files: [], returning_players: null },
      ...{ settings: { immutable: [], isolation: "none" }, changed_settings: [] },
      ...{ added: none, changed: { count: 1, paths: ["index.html"] }, removed: none, unchanged: none },
    },
  };
  const api = duringTests(() =>
    startMisbehavingServer((request, response) => {
      const path = request.url?.replace(/\?.*/, "");
      const body = bodies[`${request.method} ${path}`];
      return sendJson(response, body === undefined ? 404 : 200, body ?? {});
    }),
  );

  (hasTerminal ? test : test.skip).each([
    ["whoami", 0],
    ["projects list", 0],
    ["projects create my-game", 0],
    ["releases --project game", 0],
    ["rollback r1 --project game", 0],
    ["publish game --project game", 0],
    ["publish game --project game --dry-run", 0],
    ["init my-game", 0],
    ["completion zsh", 0],
    ["logout", 0],
    ["help whoami", 0],
    ["projects", 0],
    ["--version", 0],
    ["releases --project other", 1],
    ["publish nowhere --project game", 1],
    ["whoam", 2],
  ] as const)("svc %s", async (args, expected) => {
    mkdirSync(join(person.home, "game"));
    writeFileSync(join(person.home, "game", "index.html"), "hello");
    const env = { SVC_API: api.origin, SVC_TOKEN: inventToken() };
    const piped = await person.run(args.split(" "), { env });
    rmSync(join(person.home, "svc.toml"), { force: true });
    const { code, shown } = await runOnTerminal(args, { env });
    expect({ code, piped: piped.code }).toEqual({ code: expected, piped: expected });
    // Both streams are on the screen, in the order in which they were written; long errors have more lines there.
    const words = (text: string) =>
      text
        .replace(/ in \d+\.\d s\.$/gm, "")
        .split(/\s+/)
        .sort();
    expect(words(plainText(shown))).toEqual(words(piped.stdout + piped.stderr));
  });
});

describe("publishing", () => {
  const publishing = { SVC_TOKEN: inventToken() };
  beforeEach(() => {
    mkdirSync(join(person.home, "game"));
    writeFileSync(join(person.home, "game", "index.html"), "<h1>Game</h1>");
  });

  (hasTerminal ? test : test.skip)("shows a bar on a terminal, and removes it at the end", async () => {
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
      // The screen after the last clearing of the line.
      expect(views.at(-1)).toContain("\u001b[32mPublished\u001b[39m 1 file ");
    } finally {
      await api.stop();
    }
  });

  (hasTerminal ? test : test.skip)("says that it reads a large folder, and Ctrl-C stops it then", async () => {
    // A tree of links: each folder has the files of the next one twice.
    const folder = (depth: number) => join(person.home, "game", `z${depth}`);
    for (let depth = 0; depth <= 40; depth += 1) mkdirSync(folder(depth));
    for (let depth = 1; depth <= 40; depth += 1)
      for (const name of ["a", "b"]) symlinkSync(join("..", `z${depth - 1}`), join(folder(depth), name));
    const { code, shown } = await runOnTerminal("publish game --project my-game", {
      env: publishing,
      typed: "\u0003",
      typeAfter: "Reading folder…",
    });
    expect({ code, shown }).toEqual({ code: 130, shown: expect.stringContaining("The live release is untouched.") });
    expect(plainText(shown)).not.toContain("Reading");
  });

  (hasTerminal ? test : test.skip)("shows lines, and no bar, on a terminal that cannot clear one", async () => {
    const api = await startPublishingApi();
    try {
      const { code, shown } = await runOnTerminal("publish game --project game", {
        env: { ...publishing, SVC_API: api.origin, TERM: "dumb" },
      });
      expect({ code, escapes: shown.includes("\u001b") }).toEqual({ code: 0, escapes: false });
    } finally {
      await api.stop();
    }
  });

  test("shows no bar in a pipe", async () => {
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

test("there is no colour if standard output is no terminal", async () => {
  const { stdout } = await person.run(["whoami"], { env: { SVC_API: server.origin, SVC_TOKEN: inventToken() } });
  expect(stdout).not.toContain("\u001b");
});
