import { once } from "node:events";
import { mkdirSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import http from "node:http";
import { createServer } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "@jest/globals";
import { type Files, writeFiles } from "../support/cli/cli.ts";
import { type RunningDev, startDev } from "../support/cli/dev.ts";
import { hasTerminal, onPseudoTerminal, plainText } from "../support/cli/terminal.ts";
import { eventually } from "../support/eventually.ts";
import { type Play, sendTo } from "../support/service/play.ts";
import { useCliUser, useServers } from "../support/service/suite.ts";

// First, so that svc dev has exited when its user's home directory is removed.
const keep = useServers();
const person = useCliUser();
const dev = (...args: string[]) => keep(startDev(person, args));
/** Writes files into a folder of the home directory, which has caches itself. */
const write = (files: Files) => writeFiles(join(person.home, "game"), files);

const html = { accept: "text/html" };
const get = (server: RunningDev, request: Play = {}, host = "127.0.0.1") => sendTo(server.origin, host, request);
const textOf = async (server: RunningDev, path: string) => String((await get(server, { path })).body);

describe("svc dev", () => {
  test("serves the folder of svc.toml at a host of the project's name, and says what it serves", async () => {
    write({
      "svc.toml": 'project = "my-game"\ndir = "dist"\n',
      "dist/index.html": "<h1>Game</h1>",
      "dist/.env": "SECRET=1",
      "dist/svc.toml": "spa = true",
    });
    const server = await dev();
    const { port } = server.listening;
    expect(server.listening).toEqual({
      event: "listening",
      url: `http://my-game.localhost:${port}/`,
      port,
      folder: "dist",
      files: 1,
      bytes: 13,
      warnings: [
        expect.stringContaining("may contain a secret: .env."),
        expect.stringMatching(/^svc\.toml is ignored\. svc reads svc\.toml only from the current folder or above it/),
      ],
    });
    expect(server.stderr()).toMatch(/^warning: Not published, because .*: \.env\./);
    expect(String((await get(server, {}, "my-game.localhost")).body)).toBe("<h1>Game</h1>");
    expect((await get(server, { path: "/.env" })).status).toBe(404);
  });

  test.each(["SIGINT", "SIGTERM"] as const)(
    "exits with 0 after %s, also with an open page, and removes its copies",
    async (signal) => {
      write({ "index.html": "<h1>Game</h1>", "game.js": "x".repeat(5_000) });
      const copies = join(person.home, "copies");
      mkdirSync(copies);
      const server = await keep(startDev(person, [], { TMPDIR: copies }));
      await openChanges(server);
      expect((await get(server, { path: "/game.js", headers: { "accept-encoding": "br" } })).headers).toMatchObject({
        "content-encoding": "br",
      });
      expect(readdirSync(copies)).toEqual([expect.stringMatching(/^svc-variants-/)]);
      expect(await server.end(signal)).toBe(0);
      expect(await server.next()).toEqual({ event: "stopped", url: server.listening["url"] });
      expect(readdirSync(copies)).toEqual([]);
    },
  );

  test("refuses other hosts, so that no other site reads the folder through its own name", async () => {
    write({ "svc.toml": 'project = "my-game"\n', "index.html": "<h1>Game</h1>" });
    const server = await dev();
    for (const host of ["evil.example", "my-game.evil.example", "localhost.evil.example", "other.localhost"]) {
      const { status, body } = await get(server, {}, host);
      expect({ host, status, isShown: String(body).includes("Game") }).toEqual({ host, status: 403, isShown: false });
    }
    for (const path of ["/.well-known/svc/dev/reload.js", "/.well-known/svc/dev/changes"])
      expect((await get(server, { path }, "evil.example")).status).toBe(403);
  });

  test("listens on 127.0.0.1 alone", async () => {
    write({ "index.html": "<h1>Game</h1>" });
    const server = await dev();
    const others = Object.values(networkInterfaces())
      .flatMap((all) => all ?? [])
      .filter(({ internal, family }) => !internal && family === "IPv4");
    for (const { address } of others)
      await expect(sendTo(`http://${address}:${server.listening["port"]}`, "localhost")).rejects.toThrow(
        "ECONNREFUSED",
      );
  });

  test("takes the next port if 8000 is taken, also by a server of IPv6, and refuses a named one", async () => {
    write({ "index.html": "<h1>Game</h1>" });
    for (const host of ["127.0.0.1", "::1"]) {
      const other = createServer().listen(0, host);
      await once(other, "listening");
      const { port } = other.address() as { port: number };
      const { code, json } = await person.run(["dev", "game", "--port", String(port), "--json"]);
      expect({ code, json }).toEqual({
        code: 1,
        json: { error: expect.objectContaining({ code: "port_taken", message: `Port ${port} is taken.` }) },
      });
      other.close();
    }
  });

  test("reads no token and asks no API: a malformed one of each does not matter", async () => {
    write({ "index.html": "<h1>Game</h1>" });
    writeFiles(person.home, { ".config/svc/credentials": "damaged" });
    const server = await keep(startDev(person, [], { SVC_TOKEN: "malformed", SVC_API: "malformed" }));
    expect(await textOf(server, "/")).toBe("<h1>Game</h1>");
  });
});

describe("when a file changes, svc dev", () => {
  test("serves what is there, after a message and without one", async () => {
    write({ "index.html": "one", "deep/level.json": "1" });
    const server = await dev();
    write({ "index.html": "two!" });
    expect(await server.next()).toEqual({ event: "changed", changed: ["index.html"], pages: 0 });
    expect(await textOf(server, "/")).toBe("two!");
    // At once, before the system can have said so.
    write({ "index.html": "three" });
    expect(await textOf(server, "/")).toBe("three");
    // A folder that is made first and filled later.
    mkdirSync(join(person.home, "game", "later"));
    await delay(300);
    write({ "later/a.txt": "a" });
    await eventually(async () => expect(await textOf(server, "/later/a.txt")).toBe("a"));
  });

  test.each([
    ["a file", "deep/level.txt"],
    ["a folder", "deep"],
  ])(
    "does not follow %s that becomes a link out of the folder, also not if size and time are the same",
    async (_, what) => {
      write({ "index.html": "Game", "deep/level.txt": "level!" });
      writeFiles(person.home, { "private/level.txt": "secret" });
      const [time, game] = [new Date("2026-01-01T00:00:00.000Z"), join(person.home, "game")];
      for (const file of ["game/deep/level.txt", "private/level.txt"]) utimesSync(join(person.home, file), time, time);
      const server = await dev();
      expect(await textOf(server, "/deep/level.txt")).toBe("level!");
      rmSync(join(game, what), { recursive: true });
      symlinkSync(join(person.home, "private", what.slice("deep".length)), join(game, what));
      const { status, body } = await get(server, { path: "/deep/level.txt" });
      expect({ status, isSecret: String(body).includes("secret") }).toEqual({ status: 503, isSecret: false });
    },
  );

  test("continues if a build removes the whole folder and makes it again", async () => {
    write({ "dist/index.html": "one" });
    const server = await dev("dist");
    for (const text of ["two", "three"]) {
      rmSync(join(person.home, "game", "dist"), { recursive: true });
      await server.warned("dist does not exist.");
      expect((await get(server)).status).toBe(503);
      write({ "dist/index.html": text });
      await eventually(async () => expect(await textOf(server, "/")).toBe(text));
    }
  });

  test("takes settings and rules as svc.toml and .svcignore have them now, and warns of what is new", async () => {
    write({ "svc.toml": 'dir = "dist"\n', "dist/index.html": "one", "dist/notes.txt": "x" });
    const server = await dev();
    expect((await get(server)).headers["cross-origin-opener-policy"]).toBeUndefined();
    write({ "svc.toml": 'dir = "dist"\nisolation = true\nspa = true\n' });
    expect(await server.next()).toEqual({ event: "changed", changed: [], pages: 0 });
    const { headers, body } = await get(server, { path: "/level/2", headers: { "sec-fetch-dest": "empty" } });
    expect(headers["cross-origin-embedder-policy"]).toBe("require-corp");
    expect(String(body)).toBe("one");
    write({ ".svcignore": "notes.txt" });
    expect(await server.next()).toMatchObject({ changed: ["notes.txt"] });
    write({ "dist/index.html": '<img src="none.png">' });
    await server.warned("warning: index.html refers to none.png, which is not in the folder.");
    write({ "dist/index.html": '<img src="none.png"><img src="other.png">' });
    await server.warned("other.png");
    expect(server.stderr().match(/none\.png/g)).toHaveLength(1);
    write({ "svc.toml": "isolation = 7" });
    await server.warned("svc.toml must have true, false");
    expect((await get(server)).headers["cross-origin-embedder-policy"]).toBe("require-corp");
  });

  test("tells open pages, which have a script at their end; nothing else is changed", async () => {
    write({ "index.html": "<h1>one</h1>", "404.html": "lost", "part.html": "part" });
    const server = await dev();
    const page = await get(server, { headers: { ...html, "accept-encoding": "br, gzip" } });
    const [, digest = ""] =
      /^<h1>one<\/h1><script src="\/\.well-known\/svc\/dev\/reload\.js\?([0-9a-f]{64})"><\/script>$/.exec(
        String(page.body),
      ) ?? [];
    expect(page.headers).toMatchObject({ "content-length": String(page.body.length) });
    expect(page.headers["etag"]).toBeUndefined();
    const changes = await openChanges(server);
    expect(await changes()).toBe(digest);
    expect(String((await get(server, { path: "/none", headers: html })).body)).toMatch(/^lost<script src=/);
    expect(await textOf(server, "/part.html")).toBe("part");
    expect(await textOf(server, "/.well-known/svc/dev/reload.js")).toContain("EventSource");
    write({ "index.html": "<h1>two</h1>" });
    const next = await changes();
    expect(next).toMatch(/^[0-9a-f]{64}$/);
    expect(next).not.toBe(digest);
    expect(await server.next()).toMatchObject({ changed: ["index.html"], pages: 1 });
  });

  test("tells nobody if only times change", async () => {
    write({ "index.html": "one" });
    const server = await dev();
    const changes = await openChanges(server);
    const first = await changes();
    utimesSync(join(person.home, "game", "index.html"), 1, 1);
    expect(await textOf(server, "/")).toBe("one");
    write({ "index.html": "two" });
    expect(await changes()).not.toBe(first);
    expect(await server.next()).toMatchObject({ changed: ["index.html"] });
  });

  test("with --no-reload changes no byte", async () => {
    write({ "index.html": "one" });
    const server = await dev("--no-reload");
    expect(String((await get(server, { headers: html })).body)).toBe("one");
    expect((await get(server, { path: "/.well-known/svc/dev/changes" })).status).toBe(404);
  });
});

(hasTerminal ? describe : describe.skip)("svc dev on a terminal", () => {
  test("shows where it serves, opens it, names changes, and exits with 0 after Ctrl-C", async () => {
    writeFiles(person.home, {
      "svc.toml": 'project = "my-game"\ndir = "dist"\n',
      "dist/index.html": "<h1>Game</h1>",
      browser: '#!/bin/sh\necho "$1" > opened\n',
    });
    const steps = [
      ["Ctrl-C stops it", () => writeFileSync(join(person.home, "dist", "new.js"), "1")],
      ["Changed: new.js", () => type("\u0003")],
    ] as const;
    let [done, type] = [0, (_: string): void => undefined];
    const { code, shown } = await onPseudoTerminal(person, "dev --port 0 --open", {
      env: { BROWSER: `${person.home}/browser` },
      onStarted: (typing) => {
        type = typing;
      },
      onShown: (text) => {
        const [awaited = "", act] = steps[done] ?? [];
        if (act === undefined || !text.includes(awaited)) return;
        done += 1;
        act();
      },
    });
    expect(code).toBe(0);
    expect(plainText(shown)).toMatch(
      /^Serving dist \(1 file, 13 B\) at\n\n {2}http:\/\/my-game\.localhost:\d+\/\n\nOpen pages are loaded again .*\nChanged: new\.js\n/s,
    );
  });
});

/** Opens the stream of changes; the function waits for the next digest in it. */
async function openChanges({ origin }: RunningDev): Promise<() => Promise<string>> {
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>();
  http.get(`${origin}/.well-known/svc/dev/changes`, resolve).on("error", reject);
  const response = await promise;
  response.setEncoding("utf8").on("error", () => undefined);
  const chunks = response[Symbol.asyncIterator]();
  return async () => /data: (\w+)\n\n/.exec(String((await chunks.next()).value))?.[1] ?? "";
}
