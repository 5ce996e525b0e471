import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { hasTerminal, onPseudoTerminal } from "../support/cli/terminal.ts";
import { tokenOf } from "../support/folder/secret-texts.ts";
import { zipOf } from "../support/folder/zips.ts";
import { usePublishingUser } from "../support/service/publishing-user.ts";

const user = usePublishingUser();
const { person, svc, publish, write, expectLive } = user;

describe("a folder that cannot be a release is refused before anything is sent", () => {
  const refuse = async (...args: string[]) => {
    const { code, stdout } = await svc(["publish", ...args, "--project", user.slug, "--json"], {
      env: { SVC_API: "http://127.0.0.1:9" },
    });
    return { code, ...JSON.parse(stdout).error };
  };

  test("a folder that does not exist, and one without index.html, also with the one that the build wrote", async () => {
    expect(await refuse("nowhere")).toMatchObject({ code: "folder_not_found", message: "nowhere does not exist." });
    write({ "main.js": "" });
    expect(await refuse("game")).toMatchObject({
      code: "no_index_html",
      message: "game has no index.html, the page that visitors open first. Nothing was sent.",
      next: "Give the folder that the build wrote: svc publish DIR",
    });
    write({ "readme.html": "", "build/web/index.html": "", "node_modules/a/index.html": "", ".cache/index.html": "" });
    expect(await refuse("game")).toMatchObject({
      code: "no_index_html",
      message:
        "game has no index.html, the page that visitors open first; there is one in game/build/web. Nothing was sent.",
      next: "Give the folder that the build wrote: svc publish game/build/web",
    });
  });

  test("a folder with one page of another name, which can be published alone", async () => {
    write({ "My Story.html": "<title>Story</title>", "notes.txt": "private" });
    expect(await refuse("game")).toMatchObject({
      code: "no_index_html",
      message: "game has no index.html, the page that visitors open first, but My Story.html. Nothing was sent.",
      next: 'Rename it to index.html, or publish this page alone: svc publish "game/My Story.html"',
    });
    const alone = await svc(["publish", "game/My Story.html", "--project", user.slug, "--json"]);
    expect(alone).toMatchObject({ code: 0, json: { files: 1, left_out: [] } });
    await expectLive({ "index.html": "<title>Story</title>" });
  });

  (hasTerminal ? test : test.skip)("unless a person publishes the page as index.html", async () => {
    write({ "My Story.html": "Story", "art.txt": "art" });
    const env = { SVC_API: user.service.api, SVC_TOKEN: user.token.credential };
    const question = "There is no index.html. Publish My Story.html as index.html? [y/N]";
    const run = { env, typeAfter: question, columns: 120 };
    const args = `publish game -p ${user.slug}`;
    expect((await onPseudoTerminal(person, args, { ...run, typed: "n\n" })).code).toBe(1);
    expect((await onPseudoTerminal(person, args, { ...run, typed: "y\n" })).code).toBe(0);
    await expectLive({ "index.html": "Story", "art.txt": "art" });
  });

  const vite = { "index.html": '<script type="module" src="/src/main.ts"></script>', "src/main.ts": "1" };
  const packageJson = JSON.stringify({ scripts: { build: "vite build" } });

  test("the source of a game, unless it is forced", async () => {
    write({ ...vite, "package.json": packageJson });
    expect(await refuse("game")).toMatchObject({
      code: "source_folder",
      message:
        "game has the source of a game, not its build: index.html loads /src/main.ts, which browsers cannot run. Nothing was sent.",
      next: "Build it first: npm run build. Then publish the folder that it writes. Or add --force to publish it as it is.",
    });
    write({ "dist/index.html": "built" });
    expect(await refuse("game")).toMatchObject({
      next: "Publish what the build wrote: svc publish game/dist, or add --force to publish it as it is.",
    });
    expect(await publish("--force")).toMatchObject({ code: 0 });
    await expectLive({ ...vite, "dist/index.html": "built" });
  });

  test("a page alone that takes the place of a folder, unless it is forced", async () => {
    write({ "index.html": "one", "a.js": "1", "b.js": "2" });
    expect(await publish()).toMatchObject({ code: 0 });
    const page = (...flags: string[]) => svc(["publish", "game/index.html", "-p", user.slug, "--json", ...flags]);
    expect(await page()).toMatchObject({
      code: 1,
      json: {
        error: {
          code: "page_removes_files",
          message: "game/index.html alone removes 2 files of the live release. Nothing is changed.",
        },
      },
    });
    await expectLive({ "index.html": "one", "a.js": "1", "b.js": "2" });
    expect(await page("--dry-run")).toMatchObject({ code: 0 });
    expect(await page("--force")).toMatchObject({ code: 0 });
    await expectLive({ "index.html": "one" });
  });

  test.each<[string, () => Promise<Blob>, object]>([
    ["no zip", async () => new Blob(["<h1>"]), { code: "zip_refused", message: /no zip file that can be read/ }],
    [
      "an encrypted one",
      () => zipOf({ "index.html": "1" }, { password: "secret", zipCrypto: true }),
      { code: "zip_refused", places: ["index.html: is encrypted"] },
    ],
    ["no file", () => zipOf({}), { code: "folder_empty", message: /no files to publish/ }],
    [
      "another page alone",
      () => zipOf({ "Story.html": "1", "a.txt": "" }),
      {
        code: "no_index_html",
        message: "game.zip has no index.html, the page that visitors open first, but Story.html. Nothing was sent.",
        next: "Unpack it and publish the folder that has the page, or pack that folder with the page as index.html.",
      },
    ],
    [
      "one zip",
      () => zipOf({ "game.zip": "PK" }),
      {
        code: "archive_inside",
        message: "game.zip has nothing but game.zip, an archive that svc does not unpack. Nothing was sent.",
      },
    ],
    [
      "a token of svc",
      () => zipOf({ "index.html": tokenOf("k".repeat(22), "r".repeat(32)) }),
      { code: "token_in_folder" },
    ],
  ])("a zip with %s", async (_, zip, { message = /sent\.$/, ...expected }: { message?: RegExp | string }) => {
    write({ "game.zip": Buffer.from(await (await zip()).arrayBuffer()) }, ".");
    expect(await refuse("game.zip", "--fresh")).toMatchObject({ ...expected, message: expect.stringMatching(message) });
  });

  test("settings of other hosts, with what takes the place of each line, unless they are left out", async () => {
    const files = { "index.html": "", _headers: "/*\n  X-Frame-Options: DENY\n", _redirects: "/* /index.html 200\n" };
    write({ ...files, "docs/_headers": files._headers });
    expect(await refuse("game")).toMatchObject({
      code: "host_files",
      message: "game has files that configure other hosts, and nothing here. Nothing was sent.",
      places: [
        '_headers, line 2: X-Frame-Options: embedding = "nobody" in svc.toml keeps it out of other sites',
        "_redirects, line 1: spa = true in svc.toml sends index.html for pages without a file",
      ],
    });
    expect(await svc(["dev", "game"])).toMatchObject({ code: 1, stderr: expect.stringContaining("host_files") });
    write({ ".svcignore": "/_headers\n/_redirects\n" });
    expect(await publish()).toMatchObject({ code: 0 });
    await expectLive({ "index.html": "", "docs/_headers": files._headers });
  });

  test("a file with the token that publishes it, by svc dev too", async () => {
    write({ "index.html": "", "assets/a.js": `const token = "${user.token.credential}"` });
    expect(await refuse("game", "--fresh")).toMatchObject({
      code: "token_in_folder",
      message: "A file contains a token of svc; nothing was sent.",
      places: [`assets/a.js: contains the svc token pat_…${user.token.credential.slice(-4)}`],
    });
    expect(await svc(["dev", "game"])).toMatchObject({ code: 1, stderr: expect.stringContaining("token_in_folder") });
  });

  test("links to the outside, names that differ only in case, and names that the API refuses, all in one error", async () => {
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
    if (process.platform === "linux")
      expect(places).toContain("x\ufffd/: was removed, or has a name that is not UTF-8");
  });

  test("links within the folder are followed", async () => {
    write({ "index.html": "x", "real/file.txt": "linked" });
    symlinkSync("real/file.txt", join(person.home, "game", "link.txt"));
    symlinkSync("real", join(person.home, "game", "folder"));
    await publish();
    await expectLive({ "link.txt": "linked", "folder/file.txt": "linked", "real/file.txt": "linked" });
  });
});
