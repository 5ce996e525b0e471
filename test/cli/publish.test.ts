import { spawnSync } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { type Files, publishResult } from "../support/cli/cli.ts";
import { secretCases } from "../support/folder/secret-texts.ts";
import { zipBytes } from "../support/folder/zips.ts";
import { startRelay } from "../support/network/relay.ts";
import { usePublishingUser } from "../support/service/publishing-user.ts";
import { makeLive, manifestOf, openRelease, publish as publishByApi } from "../support/service/steps.ts";

const user = usePublishingUser();
const { service, person, svc, publish, write, readLive, expectLive } = user;

const game: Files = {
  "index.html": "<h1>Game</h1>",
  "assets/level 1.json": '{"level":1}',
  "assets/größe/ü.txt": "ü",
  "empty.txt": "",
  "sound.bin": Buffer.alloc(700_000, "abcdefg"),
  "copy of sound.bin": Buffer.alloc(700_000, "abcdefg"),
};

describe("svc publish", () => {
  test("publishes a folder whose files can be read byte for byte", async () => {
    write(game);
    const requests: string[] = [];
    const relay = await startRelay(service.api, (path, step) => {
      if (step === "request") requests.push(path.replace(/^.*\/releases(\/\w+)?/, ""));
      return undefined;
    });
    const { code, stdout, stderr } = await svc(["publish", "game", "--project", user.slug, "--api", relay.origin]);
    await relay.stop();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    // The project's state is read first: nothing is live. No upload URLs are requested beside those of the opening.
    expect(requests).toEqual([`/projects/${user.slug}`, "", "", "/publish"]);
    expect(stdout).toMatch(
      new RegExp(
        `^Published 6 files \\(1\\.3 MiB\\) as release #1 of ${user.slug}: 6 added, 0 changed, 0 removed\\.\\nSent 5 files and 1 compressed copy \\(684 KiB\\) in \\d+\\.\\d s\\.\\nhttp://${user.slug}\\.${service.gamesDomain}/\\nsvc offline ${user.slug} undoes it · svc open -p ${user.slug} plays it\\n$`,
      ),
    );
    await expectLive(game);
  });

  test("sends one file after one changed, and nothing after none did", async () => {
    write(game);
    const first = publishResult(await publish());
    write({ "index.html": "<h1>Better</h1>" });
    rmSync(join(person.home, "game", "empty.txt"));
    const second = publishResult(await publish());
    expect(second).toMatchObject({
      event: "published",
      project: user.slug,
      previous_release: first.release,
      files: 5,
      added: { count: 0 },
      changed: { count: 1, paths: ["index.html"] },
      removed: { count: 1, paths: ["empty.txt"] },
      sent: { files: 1, bytes: 15 },
    });
    const third = publishResult(await publish());
    expect(third).toMatchObject({ event: "unchanged", release: second.release, sent: { files: 0, bytes: 0 } });
    expect((await readLive("empty.txt")).status).toBe(404);
  });

  test("takes settings, left-out files and the chosen picture of the live release, and says which", async () => {
    const at = `/projects/${user.slug}/releases`;
    const page = "<h1>One</h1>";
    const dropped = { "index.html": page, "cover.png": "chosen in the dashboard" };
    const settings = { spa: true, frame: "nobody", immutable: ["assets/*"] };
    const choices = { left_out: ["notes/", "gone.txt"], picture: true };
    await openRelease(user.developer, user.slug, dropped);
    const body = { files: manifestOf(dropped), settings, choices, picture: "cover.png" };
    const { id } = (await user.developer.post(at, body)).body.release;
    await makeLive(user.developer, user.slug, id);
    write({ "index.html": "<h1>Two</h1>", "notes/todo.txt": "private", "assets/a.js": "1" });

    expect(publishResult(await publish())).toMatchObject({
      settings: { ...settings, isolation: false },
      changed_settings: [],
      picture: "cover.png",
      files: 3,
      from_live: { settings: ["immutable", "spa", "frame"], left_out: ["notes/"], picture: "cover.png" },
    });
    await expectLive({ "index.html": "<h1>Two</h1>", "cover.png": "chosen in the dashboard" });
    expect((await readLive("notes/todo.txt")).status).toBe(404);
    // A colleague decides otherwise; then svc.toml does.
    const other = { files: manifestOf({ "index.html": page }), settings: { frame: "nobody" } };
    await makeLive(user.developer, user.slug, (await user.developer.post(at, other)).body.release.id);
    write({ "svc.toml": `project = "${user.slug}"\ndir = "game"\nspa = true\n` }, ".");
    const { stdout } = await svc(["publish"]);
    expect(stdout).toContain(
      "\nChanged settings: Single page (spa): on, as svc.toml says.\nAs decided in the dashboard: Embedding (frame). svc.toml decides",
    );
    expect((await readLive("notes/todo.txt")).status).toBe(200);
    expect(publishResult(await publish("--fresh"))).toMatchObject({
      settings: { spa: true, frame: "everybody" },
      from_live: { settings: [], left_out: [], picture: null },
    });
  });

  test("publishes a folder, and a zip of it, without the files that a person left out because they are refused", async () => {
    const at = `/projects/${user.slug}/releases`;
    const page = { "index.html": "<h1>One</h1>" };
    await openRelease(user.developer, user.slug, page);
    const body = { files: manifestOf(page), choices: { left_out: ["art%20.png"] } };
    await makeLive(user.developer, user.slug, (await user.developer.post(at, body)).body.release.id);
    const folder = { "index.html": "<h1>Two</h1>", "art%20.png": "P" };
    write(folder);
    expect(publishResult(await publish())).toMatchObject({ files: 1, from_live: { left_out: ["art%20.png"] } });
    write({ "game.zip": await zipBytes({ ...folder, "index.html": "<h1>Three</h1>" }) }, ".");
    const zipped = await svc(["publish", "game.zip", "-p", user.slug, "--json"]);
    expect(publishResult(zipped)).toMatchObject({ event: "published", files: 1 });
  });

  test("leaves out what only a token set for the live release, and says so", async () => {
    const token = await user.developer.token();
    const settings = { frame: ["https://evil.example"], immutable: ["**"], spa: true };
    const page = { "index.html": "<h1>stolen</h1>" };
    const { body } = await openRelease(token, user.slug, page, undefined, settings);
    const choices = { left_out: ["credits.html"] };
    await token.post(`/projects/${user.slug}/releases`, { files: manifestOf(page), settings, choices });
    await makeLive(token, user.slug, body.release.id);
    write({ "index.html": "<h1>clean</h1>", "credits.html": "Ada" });
    write({ "svc.toml": `project = "${user.slug}"\ndir = "game"\nspa = true\n` }, ".");
    const { stdout, stderr } = await svc(["publish", "--json"]);
    expect(publishResult({ stdout })).toMatchObject({
      settings: { frame: "everybody", immutable: [], spa: true },
      from_live: { settings: [], left_out: [] },
      advice: [
        {
          code: "settings_undecided",
          message: expect.stringContaining("Embedding (frame); credits.html left out."),
          places: ["credits.html"],
        },
        { code: "bytes_changed_where_immutable", places: ["index.html"] },
      ],
      files: 2,
    });
    expect(stderr).toContain(
      "Not as in the live release: Keep in browsers (immutable); Embedding (frame); credits.html left out. Only svc.toml and a person in the dashboard decide",
    );
    expect((await readLive("credits.html")).status).toBe(200);
  });

  test("of two at once the later does not take back the settings that the earlier one brought", async () => {
    await publishByApi(user.token, user.slug, { "index.html": "one" });
    let isLive = false;
    const relay = await startRelay(service.api, (path, step) => {
      if (step !== "request" || isLive || !path.endsWith("/releases")) return undefined;
      isLive = true;
      const open = { files: manifestOf({ "index.html": "one" }), settings: { frame: "nobody" } };
      return user.developer
        .post(`/projects/${user.slug}/releases`, open)
        .then(({ body }) => makeLive(user.developer, user.slug, body.release.id))
        .then(() => undefined);
    });
    write({ "index.html": "two" });
    const { code, stdout } = await publish("--api", relay.origin);
    await relay.stop();
    const { error } = publishResult({ stdout });
    expect({ code, error: error.code }).toEqual({ code: 6, error: "current_release_changed" });
    expect((await readLive("index.html")).body.toString()).toBe("one");
    expect(publishResult(await publish())).toMatchObject({ event: "published", settings: { frame: "nobody" } });
  });

  test("publishes the page that was index.html before as index.html again, and asks nobody", async () => {
    write({ "My Story.html": "one", "art.png": "1" });
    const files = manifestOf({ "index.html": "0" });
    const choices = { index: "My Story.html" };
    await openRelease(user.developer, user.slug, { "index.html": "0" });
    const { body } = await user.developer.post(`/projects/${user.slug}/releases`, { files, choices });
    await makeLive(user.developer, user.slug, body.release.id);
    expect((await publish()).code).toBe(0);
    await expectLive({ "index.html": "one", "art.png": "1" });
  });

  test("--dry-run says what would happen and changes nothing", async () => {
    const first = await publishByApi(user.token, user.slug, { "index.html": "one", "old.txt": "old" });
    write({ "index.html": "two", "new.txt": "new", "cover.png": "P" });
    const { code, stdout } = await svc(["publish", "game", "--project", user.slug, "--dry-run"]);
    expect(code).toBe(0);
    expect(stdout).toBe(
      `+ cover.png\n+ new.txt\n~ index.html\n- old.txt\n3 files (7 B) for ${user.slug}: 2 added, 1 changed, 1 removed, 0 unchanged; 3 files (7 B) to send.\ncover.png is its picture in lists.\nThis was a dry run: nothing was changed.\n`,
    );
    const result = publishResult(await publish("--dry-run"));
    expect(result).toMatchObject({
      event: "dry_run",
      picture: "cover.png",
      to_send: { files: 3, bytes: 7 },
      sent: { files: 0 },
      settings: { isolation: false, immutable: [], spa: false, frame: "everybody", preload: [], updates: "content" },
      changed_settings: [],
    });
    expect((await readLive("index.html")).body.toString()).toBe("one");
    const { releases } = (await user.developer.get(`/projects/${user.slug}/releases`)).body;
    expect(releases.map(({ id }: { id: string }) => id)).toEqual([first]);
  });

  test("rolls back to an earlier release, and to its picture, without sending a file", async () => {
    const pictureUrl = async () => {
      const response = await fetch(`${service.api}/projects/${user.slug}`);
      return ((await response.json()) as { picture_url: string | null }).picture_url;
    };
    write({ "index.html": "one", "cover.png": "P" });
    const first = publishResult(await publish());
    rmSync(join(person.home, "game", "cover.png"));
    write({ "index.html": "two" });
    const second = publishResult(await publish());
    expect([first.picture, second.picture, await pictureUrl()]).toEqual(["cover.png", null, null]);
    const { code, stdout } = await svc(["rollback", first.release, "--project", user.slug]);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `Release #1 of ${user.slug} is live again.\nhttp://${user.slug}.${service.gamesDomain}/\n`,
    });
    expect((await readLive("index.html")).body.toString()).toBe("one");
    expect(await pictureUrl()).toBe(`http://${user.slug}.${service.gamesDomain}/cover.png`);
    const { stdout: list } = await svc(["releases", "--project", user.slug]);
    expect(list).toMatch(/^#2 +earlier /m);
    expect(list).toMatch(/^#1 +live /m);
  });

  test("is refused if another release went live after the files were compared, unless any may be replaced", async () => {
    await publishByApi(user.token, user.slug, { "index.html": "one" });
    const publishThrough = async (text: string, ...flags: string[]) => {
      write({ "index.html": text });
      let [isFirst, winner] = [true, ""];
      const relay = await startRelay(service.api, async (path, step) => {
        if (step !== "request" || !path.endsWith("/publish") || !isFirst) return undefined;
        isFirst = false;
        winner = await publishByApi(user.token, user.slug, { "index.html": `meanwhile ${text}` });
        return undefined;
      });
      const result = await publish("--api", relay.origin, ...flags);
      await relay.stop();
      return { ...result, winner };
    };
    const { code, winner, stdout } = await publishThrough("two");
    expect(code).toBe(6);
    expect(publishResult({ stdout }).error).toMatchObject({
      code: "current_release_changed",
      message: expect.stringContaining(winner),
    });
    await expectLive({ "index.html": "meanwhile two" });
    expect((await publishThrough("three", "--expect-current", "any")).code).toBe(0);
    await expectLive({ "index.html": "three" });
  });

  test("that finds its files live refuses another expectation, and sends nothing", async () => {
    write({ "index.html": "one" });
    const release = await publishByApi(user.token, user.slug, { "index.html": "one" });
    expect((await publish("--expect-current", "none", "--dry-run")).code).toBe(6);
    expect((await publish("--expect-current", release)).code).toBe(0);
    const { error } = publishResult(await publish("--expect-current", "WRONG"));
    expect(error).toMatchObject({ code: "current_release_changed", message: expect.stringContaining(release) });
  });

  test("excludes possible secrets and what .svcignore names, includes what ! names, and warns of secrets in files", async () => {
    const [words, text] = secretCases[0] ?? ["", ""];
    write({
      "index.html": "x",
      "a.js": text,
      ".env.local": "KEY=1",
      "server.pem": "-----",
      "keys/boss.key": "a level",
      "maps/a.map": "{}",
      ".git/config": "",
      "deep/.env": "x",
      ".svcignore": "*.map\n!boss.key\n",
    });
    const { stderr, ...result } = await publish();
    expect(stderr).toContain(
      "warning: Not published, because the name says that it may contain a secret: .env.local, deep/.env, server.pem. To publish it anyway, add !NAME to .svcignore.\n",
    );
    expect(stderr).toContain(`warning: a.js contains what looks like ${words}. Published files are public`);
    expect(publishResult(result)).toMatchObject({
      files: 3,
      added: { paths: ["a.js", "index.html", "keys/boss.key"] },
      kept_out: { secrets: [".env.local", "deep/.env", "server.pem"], ignored: 3 },
    });
    for (const path of [".env.local", "server.pem", "maps/a.map"]) expect((await readLive(path)).status).toBe(404);
  });

  test("names svc.toml and .svcignore that are not read", async () => {
    write({ "index.html": "x", "svc.toml": "spa = true", "art/.svcignore": "*.psd", "art/a.psd": "x" });
    const { stderr } = await publish();
    expect(stderr).toContain("warning: art/.svcignore is ignored. svc reads .svcignore only beside svc.toml");
    expect(stderr).toContain(
      "warning: svc.toml is ignored. svc reads svc.toml only from the current folder or above it",
    );
    expect((await svc(["publish", "-C", "game", "-p", user.slug])).stderr).not.toContain("svc.toml is ignored");
  });

  test("warns of files that git ignores, unless it ignores the whole folder", async () => {
    write({ "index.html": "x", "notes/a.txt": "x", "notes/b.txt": "x", "own.txt": "x" });
    const git = (...args: string[]) => expect(spawnSync("git", args, { cwd: person.home }).status).toBe(0);
    git("init", "--quiet");
    write({ ".gitignore": "notes/\nown.txt\n" }, ".");
    expect((await publish()).stderr).toContain(
      "warning: notes/a.txt and 2 more are published although git ignores them: name what is no part of the game in .svcignore.",
    );
    write({ ".gitignore": "game/\n" }, ".");
    expect((await publish()).stderr).not.toContain("git ignores");
    git("add", "--force", "game/index.html");
    expect((await publish()).stderr).not.toContain("git ignores");
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
    const { stdout } = await svc(["publish", "game", "--project", user.slug]);
    expect(stdout).toContain(
      "Left out: .git/ (built-in rule .*); a.map, b.map (*.map in .svcignore); node_modules/ (built-in rule node_modules). !NAME in .svcignore brings one back.\n",
    );
  });

  test("a token without the scope is refused with 4 and the reason", async () => {
    write({ "index.html": "x" });
    const weak = await user.developer.token({ scopes: ["preview"] });
    const refused = await svc(["publish", "game", "--project", user.slug, "--json"], {
      env: { SVC_TOKEN: weak.credential },
    });
    expect(refused.code).toBe(4);
    expect(publishResult(refused).error).toMatchObject({ code: "insufficient_scope", status: 403, exit_code: 4 });
    expect(publishResult(refused).error.next).toContain("Create a token with the missing scope");
  });
});

describe("svc publish of a zip", () => {
  const publishZip = (...flags: string[]) => svc(["publish", "game.zip", "-p", user.slug, "--json", ...flags]);

  test("publishes what it publishes of the folder, without the zip's one folder, and keeps nothing of it", async () => {
    // Above 16 MiB, so that it is read again for each part. Sound is not compressed, which would take most of the time.
    const large = "0123456789".repeat(1_800_000);
    const files = { "index.html": "<h1>Zip</h1>", "art/größe.txt": "ü", "large.ogg": large };
    const others = { ".svcignore": "*.map", "a.map": "{}", "server.pem": "-----", "svc.toml": "spa = true", "._a": "" };
    const inFolder = Object.entries({ ...files, ...others }).map(([path, text]) => [`game/${path}`, text]);
    write({ "game.zip": await zipBytes(Object.fromEntries(inFolder)) }, ".");
    const result = await publishZip();
    const { stderr } = result;
    expect(stderr).toContain("it may contain a secret: server.pem. ");
    expect(stderr).toContain("warning: svc.toml is ignored.");
    expect(publishResult(result)).toMatchObject({ event: "published", files: 3, kept_out: { ignored: 3 } });
    expect(publishResult(result).left_out).toContainEqual({
      path: "a.map",
      rule: { pattern: "*.map", source: ".svcignore" },
    });
    await expectLive(files);
    expect(publishResult(await publishZip())).toMatchObject({
      event: "unchanged",
      release: publishResult(result).release,
    });
    expect(readdirSync(join(person.home, ".cache", "svc", "unpacked"))).toEqual([]);
  });

  test("--preview leaves what is live", async () => {
    await publishByApi(user.token, user.slug, { "index.html": "folder" });
    write({ "game.zip": await zipBytes({ "index.html": "zip" }) }, ".");
    expect(publishResult(await publishZip("--preview"))).toMatchObject({ event: "previewed", changed: { count: 1 } });
    await expectLive({ "index.html": "folder" });
  });
});

describe("svc rollback without a release", () => {
  test("goes to the one before the live one, and never to the one that was rolled back", async () => {
    const first = await publishByApi(user.token, user.slug, { "index.html": "one" });
    const second = await publishByApi(user.token, user.slug, { "index.html": "two" });
    expect((await svc(["rollback", "-p", user.slug, "--json"])).json).toMatchObject({
      release: { id: first },
      previous_release: second,
    });
    const again = await svc(["rollback", "-p", user.slug, "--json"]);
    expect(again).toMatchObject({
      code: 1,
      json: {
        error: {
          code: "no_earlier_release",
          message: `Release #1 of ${user.slug} is live, and none was live before it.`,
          places: [expect.stringContaining("#2 (first live")],
          next: "To make release #2 live again: svc live 2",
        },
      },
    });
  });
});
