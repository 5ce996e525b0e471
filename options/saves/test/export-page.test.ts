import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { useCliUser } from "../../../test/support/service/suite.ts";

const person = useCliUser();
const savesPage = (...args: string[]) => person.run(["saves", "page", ...args]);
const fileOf = (name = "saves.html") => join(person.home, name);

test("svc saves page writes a page that has all it needs, may run nothing else, and links to the game's new address", async () => {
  const to = "https://my-game.games.example";
  const { code, stdout } = await savesPage("--to", to);
  expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining("Wrote saves.html, which leads") });
  const page = readFileSync(fileOf(), "utf8");
  const [, policy = ""] = /<meta http-equiv="Content-Security-Policy" content="([^"]+)">/.exec(page) ?? [];
  const hashes = [...page.matchAll(/<(?:style|script type="module")>(.*?)<\/(?:style|script)>/gs)].map(
    ([, text = ""]) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`,
  );
  expect(policy.split("; ")).toEqual([
    "default-src 'none'",
    `script-src ${hashes[1]}`,
    `style-src ${hashes[0]}`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
  ]);
  expect(hashes).toHaveLength(2);
  // Before anything that it is about.
  expect(page.indexOf("Content-Security-Policy")).toBeLessThan(page.indexOf("<style>"));
  expect(page).toMatch(
    /The file has everything that <span id="host">this site<\/span> keeps .* of other games there too/,
  );
  const links = [...page.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, url]) => url);
  expect(links).toEqual(["data:,", "index.html", `${to}/.well-known/svc/saves`]);
});

test("with --json it says where the page is, and where it leads", async () => {
  const { code, json } = await savesPage("--to", "http://my-game.localhost:8788/", "--out", "old.html", "--json");
  expect({ code, json }).toEqual({
    code: 0,
    json: { path: "old.html", saves_page: "http://my-game.localhost:8788/.well-known/svc/saves", only: [] },
  });
  expect(readdirSync(person.home)).toContain("old.html");
});

test.each([
  [["--to", "my-game.games.example"], "invalid_game_address", "is not a URL like"],
  [["--to", "http://my-game.games.example"], "invalid_game_address", "must be https, or http to this machine"],
  [["--to", "javascript:alert(1)"], "invalid_game_address", "must be https"],
  [["--to", "https://ada@my-game.games.example"], "invalid_game_address", "must not contain a user name or password"],
  [["--to", "https://:x@my-game.games.example"], "invalid_game_address", "must not contain a user name or password"],
  [["--to", "https://my-game.games.example/play"], "invalid_game_address", "must be the game's address alone"],
  [["--to", "https://my-game.games.example/?a"], "invalid_game_address", "must be the game's address alone"],
  [["--to", "https://my-game.games.example/#a"], "invalid_game_address", "must be the game's address alone"],
  [[], "usage", "--to names it"],
  [["--to", "https://my-game.games.example", "--only", ""], "usage", "--only must not be empty"],
])("%j is refused, and nothing is written", async (args, errorCode, message) => {
  const { code, json } = await savesPage(...args, "--json");
  expect({ code, error: json.error }).toMatchObject({
    code: 2,
    error: {
      code: errorCode,
      message: expect.stringContaining(message),
    },
  });
  expect(readdirSync(person.home)).not.toContain("saves.html");
});

test("a URL with a path is refused with the command that was probably meant", async () => {
  const { json } = await savesPage("--to", "https://my-game.games.example/play", "--json");
  expect(json.error.next).toBe("svc saves page --to https://my-game.games.example");
});

test("the names of what the game saves are in the page, which says that the file has this game's alone", async () => {
  const only = ["--only", "my-game:", "--only", `"><script>`];
  const { json } = await savesPage("--to", "https://my-game.games.example", ...only, "--json");
  expect(json.only).toEqual(["my-game:", `"><script>`]);
  const page = readFileSync(fileOf(), "utf8");
  expect(page).toContain(
    `<meta name="svc-only" content="[&quot;my-game:&quot;,&quot;\\&quot;&gt;&lt;script&gt;&quot;]">`,
  );
  expect(page).toMatch(/The file has what this game has saved at <span id="host">/);
});

test("a character of the address that ends an attribute ends none in the page", async () => {
  expect(await savesPage("--to", 'https://my"onclick=game.example')).toMatchObject({ code: 0 });
  const page = readFileSync(fileOf(), "utf8");
  expect(page).toContain('href="https://my&quot;onclick=game.example/.well-known/svc/saves"');
  expect(page).not.toContain('my"onclick');
});

test("a file that exists is replaced only with --force", async () => {
  writeFileSync(fileOf(), "mine");
  const refused = await savesPage("--to", "https://my-game.games.example", "--json");
  expect({ code: refused.code, error: refused.json.error }).toMatchObject({ code: 1, error: { code: "file_exists" } });
  expect(readFileSync(fileOf(), "utf8")).toBe("mine");
  expect(await savesPage("--to", "https://my-game.games.example", "--force")).toMatchObject({ code: 0 });
  expect(readFileSync(fileOf(), "utf8")).toContain("Take your saved games with you");
});
