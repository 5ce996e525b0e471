import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { type Actors, actorsOf, type Developer, type TokenActor } from "../support/actors.ts";
import { type CliResult, type CliRun, type CliUser, createCliUser } from "../support/cli.ts";
import { startService, type TestService } from "../support/service.ts";

let service: TestService;
let actors: Actors;
let developer: Developer;
let token: TokenActor;
let person: CliUser;
let slug: string;
let projects = 0;

beforeAll(async () => {
  service = await startService();
  actors = actorsOf(service);
  developer = await actors.developer();
  token = await developer.token({ scopes: ["publish", "projects"] });
});
afterAll(() => service?.stop());
beforeEach(async () => {
  person = createCliUser();
  projects += 1;
  slug = `game-${projects}-${process.pid}`;
  await developer.post("/projects", { slug });
});
afterEach(() => person.leave());

const svc = (args: string[], options: CliRun = {}) =>
  person.run(args, { ...options, env: { SVC_API: service.api, SVC_TOKEN: token.credential, ...options.env } });
const publish = (...args: string[]) => svc(["publish", "game", "--project", slug, "--json", ...args]);
/** The result of a publish: the last line that it wrote. */
const resultOf = ({ stdout }: CliResult) => JSON.parse(stdout.trim().split("\n").at(-1) ?? "");

type Files = Record<string, string | Buffer>;
const game: Files = {
  "index.html": "<h1>Game</h1>",
  "assets/level 1.json": '{"level":1}',
  "assets/größe/ü.txt": "ü",
  "empty.txt": "",
  "sound.bin": Buffer.alloc(700_000, "abcdefg"),
  "copy of sound.bin": Buffer.alloc(700_000, "abcdefg"),
};

function write(files: Files, folder = "game"): void {
  for (const [name, content] of Object.entries(files)) {
    const file = join(person.home, folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
}

/** Reads a file of the live release through the public address, as a visitor does. */
async function visit(path: string): Promise<{ status: number; body: Buffer }> {
  const response = await fetch(
    `${service.api}/projects/${slug}/files/${path.split("/").map(encodeURIComponent).join("/")}`,
  );
  return { status: response.status, body: Buffer.from(await response.arrayBuffer()) };
}

async function expectLive(files: Files): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const { status, body } = await visit(name);
    expect({ name, status, isSame: body.equals(Buffer.from(content)) }).toEqual({ name, status: 200, isSame: true });
  }
}

describe("svc publish", () => {
  test("publishes a folder whose files come back as they were, byte for byte", async () => {
    write(game);
    const { code, stdout, stderr } = await svc(["publish", "game", "--project", slug]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(
      new RegExp(
        `^Published 6 files \\(1\\.4 MB\\) as release \\w+ of ${slug}: 6 added, 0 changed, 0 removed\\.\\nSent 6 files \\(700\\.\\d kB\\) in \\d+\\.\\d s\\.\\nhttp://${slug}\\.${service.gamesDomain}/\\n$`,
      ),
    );
    await expectLive(game);
  });

  test("sends one file after one changed, and nothing after none did", async () => {
    write(game);
    const first = resultOf(await publish());
    write({ "index.html": "<h1>Better</h1>" });
    rmSync(join(person.home, "game", "empty.txt"));
    const second = resultOf(await publish());
    expect(second).toMatchObject({
      event: "published",
      project: slug,
      previous_release: first.release,
      files: 5,
      added: { count: 0 },
      changed: { count: 1, paths: ["index.html"] },
      removed: { count: 1, paths: ["empty.txt"] },
      sent: { files: 1, bytes: 15 },
    });
    const third = resultOf(await publish());
    expect(third).toMatchObject({ event: "unchanged", release: second.release, sent: { files: 0, bytes: 0 } });
    expect((await visit("empty.txt")).status).toBe(404);
  });

  test("--dry-run says what would happen and changes nothing", async () => {
    write({ "index.html": "one", "old.txt": "old" });
    const first = resultOf(await publish());
    write({ "index.html": "two", "new.txt": "new" });
    rmSync(join(person.home, "game", "old.txt"));
    const { code, stdout } = await svc(["publish", "game", "--project", slug, "--dry-run"]);
    expect(code).toBe(0);
    expect(stdout).toBe(
      `+ new.txt\n~ index.html\n- old.txt\n2 files (6 B) for ${slug}: 1 added, 1 changed, 1 removed, 0 unchanged; 2 files (6 B) to send.\nThis was a dry run: nothing was changed.\n`,
    );
    const result = resultOf(await publish("--dry-run"));
    expect(result).toMatchObject({ event: "dry_run", to_send: { files: 2, bytes: 6 }, sent: { files: 0 } });
    expect((await visit("index.html")).body.toString()).toBe("one");
    const { releases } = (await svc(["releases", "--project", slug, "--json"])).json;
    expect(releases.map(({ id }: { id: string }) => id)).toEqual([first.release]);
  });

  test("rolls back to an earlier release without sending a file", async () => {
    write({ "index.html": "one" });
    const first = resultOf(await publish());
    write({ "index.html": "two" });
    const second = resultOf(await publish());
    const { code, stdout } = await svc(["rollback", first.release, "--project", slug]);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `Release ${first.release} of ${slug} is live again, in place of ${second.release}.\n`,
    });
    expect((await visit("index.html")).body.toString()).toBe("one");
    const { stdout: list } = await svc(["releases", "--project", slug]);
    expect(list).toContain(`  ${second.release}  published`);
    expect(list).toContain(`  ${first.release}  live`);
  });

  test("of two that expect the same live release one wins, and the other gets 6 and the winner's name", async () => {
    write({ "index.html": "one" });
    const { release } = resultOf(await publish("--expect-current", "none"));
    write({ "index.html": "left" }, "left");
    write({ "index.html": "right" }, "right");
    const race = await Promise.all(
      ["left", "right"].map((folder) =>
        svc(["publish", folder, "--project", slug, "--json", "--expect-current", release]),
      ),
    );
    const [winner, loser] = [...race].sort((a, b) => (a.code ?? 0) - (b.code ?? 0));
    expect([winner?.code, loser?.code]).toEqual([0, 6]);
    const won = resultOf(winner as CliResult).release;
    expect(resultOf(loser as CliResult).error).toMatchObject({
      code: "current_release_changed",
      status: 412,
      exit_code: 6,
    });
    expect(resultOf(loser as CliResult).error.message).toContain(won);
  });

  test("keeps out what may be secret and what .svcignore names, and brings back what ! names", async () => {
    write({
      "index.html": "x",
      ".env.local": "KEY=1",
      "server.pem": "-----",
      "keys/boss.key": "a level",
      "maps/a.map": "{}",
      ".git/config": "",
      "deep/.env": "x",
      ".svcignore": "*.map\n!boss.key\n",
    });
    const { stderr, ...result } = await publish();
    expect(stderr).toBe(
      "warning: Kept out, because the name says that it may hold a secret: .env.local, deep/.env, server.pem. To publish one all the same, put !NAME into .svcignore.\n",
    );
    expect(resultOf({ stderr, ...result })).toMatchObject({
      files: 2,
      added: { paths: ["index.html", "keys/boss.key"] },
      kept_out: { secrets: [".env.local", "deep/.env", "server.pem"], ignored: 3 },
    });
    for (const path of [".env.local", "server.pem", "maps/a.map"]) expect((await visit(path)).status).toBe(404);
  });

  test("a token without the scope, or for another project, is refused with 4 and the reason", async () => {
    write({ "index.html": "x" });
    const weak = await developer.token({ scopes: ["projects"] });
    const refused = await svc(["publish", "game", "--project", slug, "--json"], {
      env: { SVC_TOKEN: weak.credential },
    });
    expect(refused.code).toBe(4);
    expect(resultOf(refused).error).toMatchObject({ code: "insufficient_scope", status: 403, exit_code: 4 });
    const missing = await svc(["publish", "game", "--project", "not-mine-at-all", "--json"]);
    expect(missing.code).toBe(1);
    expect(resultOf(missing).error.code).toBe("project_not_found");
  });
});

describe("a folder that cannot be a release is refused before anything is sent", () => {
  const refuse = async (...args: string[]) => {
    const { code, stdout } = await svc(["publish", ...args, "--project", slug, "--json"], {
      env: { SVC_API: "http://127.0.0.1:9" },
    });
    return { code, ...JSON.parse(stdout).error };
  };

  test("one that is not there", async () => {
    expect(await refuse("nowhere")).toMatchObject({ code: "folder_not_found", message: "nowhere is not there." });
  });

  test("an empty one", async () => {
    mkdirSync(join(person.home, "game"));
    expect(await refuse("game")).toMatchObject({ code: "folder_empty" });
  });

  test("one without index.html", async () => {
    write({ "main.js": "" });
    expect(await refuse("game")).toMatchObject({ code: "no_index_html" });
  });

  test("links that leave it, twins in upper and lower case, and names that the API refuses, all at once", async () => {
    write({ "index.html": "", "A.txt": "", "a.txt": "", "bad\\name": "", "line\nbreak": "" });
    write({ "secret.txt": "outside" }, "outside");
    symlinkSync("../outside/secret.txt", join(person.home, "game", "link.txt"));
    symlinkSync("../outside", join(person.home, "game", "folder"));
    symlinkSync("nowhere", join(person.home, "game", "broken"));
    symlinkSync(".", join(person.home, "game", "round"));
    // Bytes that are no UTF-8, which only Linux takes as a name.
    const unspeakable = Buffer.concat([Buffer.from(join(person.home, "game", "x")), Buffer.of(0xff)]);
    if (process.platform === "linux") mkdirSync(unspeakable);
    const { code, places } = await refuse("game");
    expect(code).toBe("folder_refused");
    expect(places.filter((place: string) => !place.startsWith("x")).sort()).toEqual([
      "a.txt: differs from another path only in upper and lower case",
      "bad\\name: must separate folders with /, not with a backslash",
      "broken: is a symbolic link that leads nowhere",
      "folder: is a symbolic link that leaves the folder",
      "line\nbreak: must not contain control characters",
      "link.txt: is a symbolic link that leaves the folder",
      "round: links back to a folder that it is in",
    ]);
    if (process.platform === "linux") expect(places).toContain("x\ufffd/: vanished, or has a name that is not UTF-8");
  });

  test("links that stay in it are followed", async () => {
    write({ "index.html": "x", "real/file.txt": "linked" });
    symlinkSync("real/file.txt", join(person.home, "game", "link.txt"));
    symlinkSync("real", join(person.home, "game", "folder"));
    await publish();
    await expectLive({ "link.txt": "linked", "folder/file.txt": "linked", "real/file.txt": "linked" });
  });
});

describe("svc.toml", () => {
  test("svc init writes it and the other commands follow it", async () => {
    write({ "index.html": "x", "app.js.map": "{}" }, "dist");
    const fresh = `${slug}-new`;
    const { code, stdout } = await svc(["init", fresh]);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `Wrote svc.toml: dist is published as ${fresh}.\nNext: svc projects create ${fresh}, then svc publish\n`,
    });
    expect((await svc(["init", fresh, "--json"])).json.error.code).toBe("project_file_exists");
    expect((await svc(["projects", "create"])).stdout).toBe(`Created project ${fresh}.\n`);
    const taken = await svc(["projects", "create", "--json"]);
    expect({ code: taken.code, error: taken.json.error.code }).toEqual({ code: 6, error: "slug_taken" });
    expect(resultOf(await svc(["publish", "--json"]))).toMatchObject({ event: "published", project: fresh, files: 2 });
    const { projects: listed } = (await svc(["projects", "list", "--json"])).json;
    expect(listed.map((project: { slug: string }) => project.slug)).toContain(fresh);
    expect((await svc(["projects", "list"])).stdout).toContain(fresh);
  });

  test("counts in the current directory alone, not in the folder that is published", async () => {
    write({ "index.html": "x", "svc.toml": `project = "${slug}"` });
    expect((await svc(["publish", "game", "--json"])).json.error.code).toBe("no_project");
  });

  test.each([
    ['token = "x"', "token_in_project_file"],
    [`project = "x" # pat_${"a".repeat(60)}`, "token_in_project_file"],
    ['api = "https://evil.example"', "api_in_project_file"],
    ['projct = "x"', "invalid_project_file"],
    ["project = ", "invalid_project_file"],
    ["project = 1", "invalid_project_file"],
    ['ignore = "x"', "invalid_project_file"],
  ])("with %s in it is refused", async (text, reason) => {
    writeFileSync(join(person.home, "svc.toml"), text);
    const { code, json } = await svc(["publish", "--json"]);
    expect(code).toBe(2);
    expect(json.error.code).toBe(reason);
  });

  test("without one, and without --project, svc says what to do", async () => {
    const { code, json } = await svc(["releases", "--json"]);
    expect(code).toBe(2);
    expect(json.error).toMatchObject({ code: "no_project", next: "svc init PROJECT, or add --project SLUG." });
  });
});
