import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { assertNoTokens, publishResult, writeFiles } from "../../test/support/cli/cli.ts";
import { startLogin, userCode } from "../../test/support/cli/command-line-login.ts";
import { actorsOf, type Developer } from "../../test/support/service/actors.ts";
import { startRecordedService } from "../../test/support/service/recorded-service.ts";
import { newProject } from "../../test/support/service/steps.ts";
import { duringTests } from "../../test/support/service/suite.ts";
import { startRecordedStore } from "../../test/support/store/store-recorder.ts";
import { createWindowsUser, hasWine, openFolders, until, type WindowsUser } from "./windows.ts";

/*
 * The first hour of a developer with the command line, on Windows' own Node, which Wine runs, against the real service.
 *
 * Not shown by Wine:
 * - `svc.cmd`: Wine's cmd does not understand the line of npm's that calls Node. The tests run the program that it names.
 * - `svc.ps1` and completion: there is no PowerShell.
 * - EPERM for a folder above a watched one, and a virus scanner: Wine lets both be renamed. The tests look at what is held open.
 * - Access control lists: Wine has the modes of this system instead.
 * - Node 24, which does not start under Wine 8; pipes as standard input and output.
 */
if (!hasWine) console.warn("The tests of Windows are skipped: install wine and wine64.");

const onWindows = hasWine ? describe : describe.skip;

onWindows("a developer on Windows", () => {
  const store = duringTests(() => startRecordedStore());
  const service = duringTests(() => startRecordedService({ env: { S3_ENDPOINT: store.endpoint } }));
  let ada: Developer;
  let user: WindowsUser;
  let slug: string;

  beforeAll(async () => {
    ada = await actorsOf(service).developer();
    user = await createWindowsUser();
    const [{ filename }] = JSON.parse(
      execFileSync("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", user.home], {
        cwd: fileURLToPath(new URL("../../cli", import.meta.url)),
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
      }),
    );
    expect(await user.install(join(user.home, filename))).toMatchObject({ code: 0, stderr: "" });
  });
  afterAll(() => user?.leave());
  beforeEach(async () => {
    slug = await newProject(ada);
    rmSync(join(user.home, ".config"), { recursive: true, force: true });
    rmSync(join(user.home, "game"), { recursive: true, force: true });
  });

  const game = () => join(user.home, "game");
  const env = () => ({ SVC_API: service.api });
  const login = async (token: string) =>
    await user.run(["login", "--token", "-"], { env: env(), input: `${token}\r\n` });
  const publishAs = async (token: string, ...args: string[]) =>
    await user.run(["publish", "game", "--project", slug, "--json", ...args], {
      env: { ...env(), SVC_TOKEN: token },
    });
  const newToken = async () => (await ada.token({ scopes: ["publish", "projects"] })).credential;
  const liveFile = async (path: string) => {
    const encoded = path.split("/").map(encodeURIComponent).join("/");
    return await (await fetch(`${service.api}/projects/${slug}/files/${encoded}`)).text();
  };

  test("has svc for cmd and PowerShell after npm install --global", async () => {
    const shims = join(user.home, "AppData", "Roaming", "npm");
    expect(readFileSync(join(shims, "svc.cmd"), "utf8")).toContain(
      '"%dp0%\\node_modules\\@svc-publish\\cli\\bin\\run.cjs" %*',
    );
    expect(readFileSync(join(shims, "svc.ps1"), "utf8")).toContain("node_modules/@svc-publish/cli/bin/run.cjs");
    expect(await user.run(["--version"])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^svc\/\S+ win32-x64 node-v22\.21\.0\r?\n$/),
      stderr: "",
    });
  });

  test("writes svc.toml with init, and publishes what it names", async () => {
    const token = await newToken();
    writeFiles(game(), { "build/web/index.html": "<h1>Built" });
    const run = (...args: string[]) => user.run(args, { cwd: game(), env: { ...env(), SVC_TOKEN: token } });
    expect(await run("init", slug, "--dir", "build\\web")).toMatchObject({ code: 0, stderr: "" });
    expect(readFileSync(join(game(), "svc.toml"), "utf8")).toContain('dir = "build/web"');
    expect(await run("publish")).toMatchObject({ code: 0, stderr: "" });
    expect(await liveFile("index.html")).toBe("<h1>Built");
  });

  test("serves a folder with dev that may be renamed, replaced by the next build, and renamed above", async () => {
    const page = { "index.html": "<h1>One", "assets/levels/1.json": "{}" };
    writeFiles(join(game(), "dist"), page);
    const dev = user.start(["dev", join("game", "dist"), "--json", "--port", "0"]);
    try {
      const { port } = JSON.parse(await until(() => /^.*\n/.exec(dev.stdout())?.[0], "the server"));
      const shown = async () => await (await fetch(`http://127.0.0.1:${port}/`)).text();
      expect(await shown()).toContain("<h1>One");
      // A handle below the folder is what makes Windows refuse to rename or delete it. That of the page may close after its response.
      const dist = join(game(), "dist");
      await until(() => openFolders(dist).every((path) => path === dist), "the page's handle to close");
      expect(openFolders(dist).filter((path) => path !== dist)).toEqual([]);

      renameSync(dist, join(game(), "old"));
      writeFiles(dist, { ...page, "index.html": "<h1>Two" });
      await until(() => /"event":"changed"/.test(dev.stdout()), "the change");
      await until(async () => (await shown()).includes("<h1>Two"), "the new page");
      expect(await shown()).toContain("<h1>Two");
    } finally {
      await dev.kill();
    }
  });

  test("logs in with a token in a file that ends in CRLF, is known by it, and logs out", async () => {
    const token = await newToken();
    expect(await login(token)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("C:\\users\\"),
      stderr: "",
    });
    expect(readFileSync(user.credentialFile, "utf8")).toContain(`${service.api} ${token} `);
    // The modes that Windows' Node reports are everybody's: only a warning of them would be wrong.
    chmodSync(user.credentialFile, 0o644);
    expect(await user.run(["whoami"], { env: env() })).toMatchObject({ code: 0, stderr: "" });
    expect(await login(await newToken())).toMatchObject({ code: 0 });
    expect(await user.run(["logout"], { env: env() })).toMatchObject({ code: 0 });
    expect(existsSync(user.credentialFile)).toBe(false);
  });

  test("logs in by the browser that Windows opens, with no part of the login in the process list", async () => {
    const waiting = startLogin(user, "login", service.api, /http:\S+&token_name=\w+/, {
      program: user.shellCommand,
      columns: 500,
      env: { ...user.environment, BROWSER: "" },
    });
    const shown = new URL((await waiting.found)[0]);
    const opened = new URL(await until(() => user.takeOpened(), "the browser"));
    expect(opened.href).toBe(shown.href);
    const asked = Object.fromEntries(
      ["client_id", "redirect_uri", "state", "code_challenge", "code_challenge_method"].map((name) => [
        name,
        opened.searchParams.get(name),
      ]),
    );
    const approval = { ...asked, name: "laptop", scopes: ["publish", "projects"] };
    const { body } = await ada.post("/oauth/approvals", approval);
    expect(await (await fetch(body.redirect_to)).text()).toContain("The command line is signed in.");
    expect(await waiting.ended).toMatchObject({ code: 0 });
    const { json } = await user.run(["whoami", "--json"], { env: env() });
    expect(json.auth).toMatchObject({ kind: "token", name: "laptop" });
  });

  test("logs in by a code on another machine, and stops a login with Ctrl-C", async () => {
    const onTerminal = { program: user.shellCommand, columns: 200, env: user.environment };
    const waiting = startLogin(user, "login --device", service.api, userCode, onTerminal);
    const [code] = await waiting.found;
    const answer = { decision: "approve", name: "elsewhere", scopes: ["publish"] };
    expect((await ada.post(`/oauth/device/${code}`, answer)).status).toBe(204);
    expect(await waiting.ended).toMatchObject({ code: 0 });
    rmSync(join(user.home, ".config"), { recursive: true });

    const stopped = startLogin(user, "login --device", service.api, userCode, onTerminal);
    await stopped.found;
    stopped.interrupt();
    expect(await stopped.ended).toMatchObject({ code: 130 });
    expect(existsSync(user.credentialFile)).toBe(false);
  });

  test("publishes 200 files: nested, not ASCII, beyond 260 characters, and with names that Windows reserves", async () => {
    const deep = Array.from({ length: 6 }, () => "d".repeat(50)).join("/");
    const special = {
      "index.html": "<h1>Game",
      "ünï/日本 語.txt": "not ASCII",
      [`${deep}/x.txt`]: "long path",
      "con.txt": "con",
      "assets/aux.js": "aux",
      nul: "nul",
      "a & b (c)^!.txt": "cmd's characters",
    };
    const many = Object.fromEntries(Array.from({ length: 193 }, (_, index) => [`levels/a/${index}.json`, `${index}`]));
    writeFiles(game(), { ...special, ...many, "left.tmp": "", ".svcignore": "# comment\r\n*.tmp\r\n" });
    const result = await publishAs(await newToken());
    expect(publishResult(result)).toMatchObject({ event: "published", files: 200 });
    expect(result).toMatchObject({ code: 0, stderr: "" });
    for (const [path, content] of Object.entries(special))
      expect({ path, content: await liveFile(path) }).toEqual({ path, content });
    expect(publishResult(await publishAs(await newToken()))).toMatchObject({ event: "unchanged" });
  });

  test("is told of names that differ only in upper and lower case, which a folder from elsewhere may have", async () => {
    writeFiles(game(), { "index.html": "", "README.txt": "1", "readme.txt": "2" });
    const { code, stdout, stderr } = await publishAs(await newToken());
    expect(code).toBe(1);
    expect(stdout + stderr).toContain("readme.txt");
    expect(stdout + stderr).toContain("differs from another path only in upper and lower case");
  });

  test("ends a publish in the Task Manager, and the next one sends the rest", async () => {
    const token = await newToken();
    writeFiles(game(), { "index.html": "<h1>Game" });
    writeFiles(
      game(),
      Object.fromEntries(Array.from({ length: 120 }, (_, index) => [`${index}.txt`, `file ${index}`])),
    );
    const isFile = ({ kind, path }: { kind: string; path: string }) => kind === "put" && path.includes("/files/");
    let stored = 0;
    store.plan((request) => (isFile(request) && ++stored > 60 ? "break" : undefined));
    const first = user.start(["publish", "game", "--project", slug], { env: { ...env(), SVC_TOKEN: token } });
    await until(() => stored > 60, "60 files");
    await first.kill();
    assertNoTokens(first.stdout() + first.stderr(), [token]);
    expect((await ada.get(`/projects/${slug}`)).body.current_release).toBeNull();

    store.plan(undefined);
    const sent = await store.during(async () => expect((await publishAs(token)).code).toBe(0));
    expect(sent.filter(isFile)).toHaveLength(121 - 60);
    expect(await liveFile("119.txt")).toBe("file 119");
  });
});
