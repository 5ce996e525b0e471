import { chownSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { type Actors, actorsOf, type Developer, type TokenActor } from "../support/actors.ts";
import { type CliResult, type CliRun, type CliUser, createCliUser } from "../support/cli.ts";
import { startService, type TestService } from "../support/service.ts";
import { hasTerminal, onPseudoTerminal } from "../support/terminal.ts";

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
    expect(list).toContain(`  ${second.release}  earlier`);
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

  test("says what was left out and by which rule", async () => {
    write({
      "index.html": "x",
      "node_modules/a/b.js": "",
      ".git/config": "",
      "a.map": "",
      "b.map": "",
      ".svcignore": "*.map",
    });
    const { stdout } = await svc(["publish", "game", "--project", slug]);
    expect(stdout).toContain(
      "Left out: .git/ (built-in rule .git); a.map, b.map (*.map in .svcignore); node_modules/ (built-in rule node_modules).\n",
    );
    expect(resultOf(await publish()).left_out).toContainEqual({
      path: "a.map",
      rule: { pattern: "*.map", source: ".svcignore" },
    });
  });

  test("a token without the scope, or for another project, is refused with 4 and the reason", async () => {
    write({ "index.html": "x" });
    const weak = await developer.token({ scopes: ["projects"] });
    const refused = await svc(["publish", "game", "--project", slug, "--json"], {
      env: { SVC_TOKEN: weak.credential },
    });
    expect(refused.code).toBe(4);
    expect(resultOf(refused).error).toMatchObject({ code: "insufficient_scope", status: 403, exit_code: 4 });
    expect(resultOf(refused).error.next).toContain("create a token with the scope that is missing");
    const missing = await svc(["publish", "game", "--project", "not-mine-at-all", "--json"]);
    expect(missing.code).toBe(1);
    expect(resultOf(missing).error.code).toBe("project_not_found");
    const other = await developer.token({ scopes: ["publish"], projects: [slug] });
    const second = `${slug}-second`;
    await developer.post("/projects", { slug: second });
    const narrowed = await svc(["publish", "game", "--project", second, "--json"], {
      env: { SVC_TOKEN: other.credential },
    });
    expect(narrowed.code).toBe(4);
    expect(resultOf(narrowed).error).toMatchObject({
      code: "project_not_in_token",
      next: expect.stringContaining("svc whoami"),
    });
  });
});

describe("what its publisher says of a release", () => {
  const gitHub = {
    GITHUB_ACTIONS: "true",
    GITHUB_SHA: "0123456789abcdef0123456789abcdef01234567",
    GITHUB_SERVER_URL: "https://github.example",
    GITHUB_REPOSITORY: "ada/game",
    GITHUB_RUN_ID: "7",
  };

  test("--message and the commit of a job of GitHub stay with it", async () => {
    write({ "index.html": "one" });
    const [output, summary] = ["output", "summary"].map((name) => join(person.home, name));
    const env = { ...gitHub, GITHUB_OUTPUT: output ?? "", GITHUB_STEP_SUMMARY: summary ?? "" };
    const published = await svc(["publish", "game", "-p", slug, "-m", "Faster ships\n\nAnd more", "--json"], { env });
    const { release, play_url: url } = resultOf(published);
    const { json } = await svc(["releases", "-p", slug, "--json"]);
    expect(json.releases[0]).toMatchObject({
      message: "Faster ships\n\nAnd more",
      source: { commit: gitHub.GITHUB_SHA, run_url: "https://github.example/ada/game/actions/runs/7" },
    });
    expect((await svc(["releases", "-p", slug])).stdout).toMatch(
      / {2}live .* 1 file, 3 B {2}0123456 {2}Faster ships\n$/,
    );
    expect(readFileSync(output ?? "", "utf8")).toBe(`url=${url}\nrelease=${release}\n`);
    expect(readFileSync(summary ?? "", "utf8")).toBe(`[${slug}](${url}) is live as release \`${release}\`.\n`);
  });

  test("the commit of a job of GitLab too, and none of a variable that is no commit", async () => {
    write({ "index.html": "one" });
    const env = { GITLAB_CI: "true", CI_COMMIT_SHA: "fedcba9876", CI_JOB_URL: "http://gitlab.local/1" };
    await svc(["publish", "game", "-p", slug], { env });
    write({ "index.html": "two" });
    await svc(["publish", "game", "-p", slug], { env: { ...gitHub, GITHUB_SHA: "HEAD" } });
    const { json } = await svc(["releases", "-p", slug, "--json"]);
    expect(json.releases.map(({ source }: { source: unknown }) => source)).toEqual([
      null,
      { commit: "fedcba9876", run_url: null },
    ]);
  });

  test("outputs that cannot be written are told, and the release is live", async () => {
    write({ "index.html": "one" });
    const { code, stderr } = await svc(["publish", "game", "-p", slug], { env: { ...gitHub, GITHUB_OUTPUT: "/" } });
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: "warning: The outputs of this step could not be written: illegal operation on a directory (EISDIR).\n",
    });
  });
});

describe("svc rollback without a release", () => {
  test("goes back to the one that was live before, and forth again", async () => {
    write({ "index.html": "one" });
    const first = resultOf(await publish()).release;
    const none = await svc(["rollback", "-p", slug, "--json"]);
    expect({ code: none.code, error: none.json.error.code }).toEqual({ code: 1, error: "no_earlier_release" });
    write({ "index.html": "two" });
    const second = resultOf(await publish()).release;
    expect((await svc(["rollback", "-p", slug, "--json"])).json).toMatchObject({
      release: { id: first },
      previous_release: second,
    });
    expect((await svc(["rollback", "-p", slug, "--json"])).json.release.id).toBe(second);
  });
});

describe("svc open", () => {
  test("prints where the live release is, without a token, and opens nothing in a pipe", async () => {
    const before = await person.run(["open", "-p", slug, "--json"], { env: { SVC_API: service.api } });
    expect(before.json.error.code).toBe("not_published");
    write({ "index.html": "x" });
    const { play_url: url } = resultOf(await publish());
    const { code, stdout } = await person.run(["open", "-p", slug], { env: { SVC_API: service.api, DISPLAY: ":0" } });
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${url}\n` });
  });

  (hasTerminal ? test : test.skip)("opens it in a browser on a terminal with a screen", async () => {
    write({ "index.html": "x" });
    const { play_url: url } = resultOf(await publish());
    mkdirSync(join(person.home, "bin"));
    writeFileSync(join(person.home, "bin", "xdg-open"), `#!/bin/sh\necho "$@" > "${person.home}/opened"\n`, {
      mode: 0o755,
    });
    const env = { SVC_API: service.api, PATH: `${person.home}/bin:${process.env["PATH"]}` };
    await onPseudoTerminal(person, `open -p ${slug}`, { env });
    expect(existsSync(join(person.home, "opened"))).toBe(false);
    await onPseudoTerminal(person, `open -p ${slug}`, { env: { ...env, DISPLAY: ":0" } });
    for (let tries = 0; tries < 100 && !existsSync(join(person.home, "opened")); tries += 1) await sleep(20);
    expect(readFileSync(join(person.home, "opened"), "utf8")).toBe(`${url}\n`);
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

  test("counts in the current directory and above, not in the folder that is published", async () => {
    write({ "index.html": "x", "svc.toml": `project = "${slug}"` });
    expect((await svc(["publish", "game", "--json"])).json.error.code).toBe("no_project");
  });

  test("is found in a folder above, and its dir and ignore are of that folder", async () => {
    write({ "index.html": "x", "a.map": "" }, "dist");
    writeFileSync(join(person.home, "svc.toml"), `project = "${slug}"\ndir = "dist"\nignore = ["*.map"]\n`);
    mkdirSync(join(person.home, "src", "deep"), { recursive: true });
    const { stdout } = await svc(["publish", "--json"], { cwd: join(person.home, "src", "deep") });
    expect(resultOf({ stdout } as CliResult)).toMatchObject({ event: "published", project: slug, files: 1 });
  });

  test("in a folder above counts for nothing where it is another user's", async () => {
    if (process.getuid?.() !== 0) return;
    writeFileSync(join(person.home, "svc.toml"), `project = "${slug}"`);
    chownSync(join(person.home, "svc.toml"), 12_345, 12_345);
    mkdirSync(join(person.home, "src"));
    const { code, json } = await svc(["releases", "--json"], { cwd: join(person.home, "src") });
    expect({ code, error: json.error.code }).toEqual({ code: 2, error: "project_file_of_another" });
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
