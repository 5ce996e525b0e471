import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { modeOf } from "../../support/cli/cli.ts";
import { approvalUrl, startLogin, userCode } from "../../support/cli/command-line-login.ts";
import { hasTerminal } from "../../support/cli/terminal.ts";
import { actorsOf, type Developer } from "../../support/service/actors.ts";
import { useCliUser, useService } from "../../support/service/suite.ts";

const onTerminal = hasTerminal ? describe : describe.skip;

const service = useService();
let ada: Developer;
const person = useCliUser();

beforeAll(async () => {
  ada = await actorsOf(service).developer();
});
/** The dashboard's work when the person approves: it sends the browser to the URL that the API names. */
async function approve(url: URL): Promise<URL> {
  const { client_id, redirect_uri, state, code_challenge, code_challenge_method } = Object.fromEntries(
    url.searchParams,
  );
  const asked = { client_id, redirect_uri, state, code_challenge, code_challenge_method };
  const { body } = await ada.post("/oauth/approvals", { ...asked, name: "laptop", scopes: ["publish", "projects"] });
  return new URL(body.redirect_to);
}

onTerminal("svc login on a terminal", () => {
  test("is approved in the browser, and its token works", async () => {
    const login = startLogin(person, "login", service.api, approvalUrl);
    const url = new URL((await login.found)[0]);
    expect(url.origin).toBe(new URL(service.dashboard).origin);
    expect(url.searchParams.get("token_name")).not.toBe("");
    const back = await fetch(await approve(url));
    expect(await back.text()).toContain("The command line is signed in.");
    const { code, shown } = await login.ended;
    expect({ code, shown }).toEqual({ code: 0, shown: expect.stringContaining("Logged in to") });
    const whoami = await person.run(["whoami", "--json"], { env: { SVC_API: service.api } });
    expect(whoami.json.auth).toMatchObject({ kind: "token", name: "laptop" });
  });

  test.each([
    ["login", approvalUrl],
    ["login --device", userCode],
  ])("svc %s proposes the project of svc.toml", async (args, pattern) => {
    writeFileSync(join(person.home, "svc.toml"), 'project = "star-hopper"\n');
    const login = startLogin(person, args, service.api, pattern);
    const [found] = await login.found;
    login.interrupt();
    if (args === "login") {
      expect(new URL(found).searchParams.get("resource")).toBe(`${service.api}/projects/star-hopper`);
    } else {
      expect((await ada.get(`/oauth/device/${found}`)).body.project).toBe("star-hopper");
    }
    await login.ended;
  });

  test("ignores a redirect of another window, another server or another path", async () => {
    const login = startLogin(person, "login", service.api, approvalUrl);
    const target = await approve(new URL((await login.found)[0]));
    const changed = (name: string, value: string) => {
      const url = new URL(target);
      url.searchParams.set(name, value);
      return url;
    };
    expect((await fetch(changed("state", "another"))).status).toBe(404);
    expect((await fetch(new URL("/favicon.ico", target))).status).toBe(404);
    await fetch(changed("iss", "https://other.example"));
    const { code, shown } = await login.ended;
    expect({ code, shown }).toEqual({ code: 4, shown: expect.stringContaining("another server") });
    expect(existsSync(person.credentialFile)).toBe(false);
  });

  test("goes on whatever other programs send to its port, which only this machine reaches", async () => {
    const login = startLogin(person, "login", service.api, approvalUrl);
    const target = await approve(new URL((await login.found)[0]));
    const send = (host: string, path: string) =>
      new Promise<number | string>((resolve) => {
        const sent = request({ host, port: target.port, path, method: "GET" }, (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        });
        sent.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? ""));
        sent.end();
      });
    for (const path of ["//", "/\\", "//%", "*", "http://[", `//x${target.search}`, `/x${target.search}`])
      expect({ path, status: await send("127.0.0.1", path) }).toEqual({ path, status: 404 });
    // Every address of 127.0.0.0/8 is this machine's: a listener on all interfaces would respond there too.
    if (process.platform === "linux") expect(await send("127.0.0.2", "/")).toBe("ECONNREFUSED");
    await fetch(target);
    expect((await login.ended).code).toBe(0);
  });

  test("shows the process list no part of the login: the browser opens a private file that leads to it", async () => {
    const browser = join(person.home, "browser.sh");
    const seen = join(person.home, "seen");
    writeFileSync(browser, `#!/bin/sh\necho "$@" > ${seen}.part && mv ${seen}.part ${seen}\n`, { mode: 0o755 });
    const login = startLogin(person, "login", service.api, approvalUrl, { env: { BROWSER: browser } });
    const url = new URL((await login.found)[0]);
    while (!existsSync(seen)) await delay(20);
    const opened = new URL(readFileSync(seen, "utf8").trim());
    for (const secret of ["state", "code_challenge"])
      expect(opened.href).not.toContain(url.searchParams.get(secret) ?? "");
    expect(opened.protocol).toBe("file:");
    expect([modeOf(fileURLToPath(opened)), modeOf(dirname(fileURLToPath(opened)))]).toEqual([0o600, 0o700]);
    expect(readFileSync(opened, "utf8")).toContain(`content="0;url=${url.href.replaceAll("&", "&amp;")}"`);
    login.interrupt();
    expect((await login.ended).code).toBe(130);
    expect(existsSync(opened)).toBe(false);
  });

  test("again offers to revoke the token that it replaces", async () => {
    const first = await ada.token({ name: "first" });
    const logIn = async (typed: string) => {
      const login = startLogin(person, "login", service.api, approvalUrl, { typed, typeAfter: "[y/N]" });
      await fetch(await approve(new URL((await login.found)[0])));
      return await login.ended;
    };
    const env = { SVC_API: service.api };
    await person.run(["login", "--token", "-"], { env, input: first.credential });
    const kept = await logIn("n\r");
    expect(kept).toMatchObject({ code: 0, shown: expect.stringContaining("which this login replaces, still works.") });
    expect((await first.get("/me")).status).toBe(200);
    await person.run(["login", "--token", "-"], { env, input: first.credential });
    const revoked = await logIn("y\r");
    expect(revoked).toMatchObject({ code: 0, shown: expect.stringContaining("Revoked pat_…") });
    expect((await first.get("/me")).status).toBe(401);
    // A token that does not work is replaced without a question.
    await person.run(["logout"]);
    await person.run(["login", "--token", "-", "--no-verify"], { env, input: first.credential });
    expect((await logIn("")).shown).not.toContain("[y/N]");
  });

  test("as another account says so before it saves, and revokes the token if that is not wanted", async () => {
    const grace = await actorsOf(service).otherDeveloper();
    const old = await grace.token();
    const env = { SVC_API: service.api };
    await person.run(["login", "--token", "-"], { env, input: old.credential });
    const before = readFileSync(person.credentialFile, "utf8");
    const login = startLogin(person, "login", service.api, approvalUrl, { typed: "\r", typeAfter: "[y/N]" });
    await fetch(await approve(new URL((await login.found)[0])));
    const { code, shown } = await login.ended;
    expect(code).toBe(4);
    expect(shown.replace(/\s+/g, " ")).toContain(`(${ada.uid}); before, it was as`);
    expect(readFileSync(person.credentialFile, "utf8")).toBe(before);
    const [newest] = (await ada.get("/tokens")).body.tokens;
    expect(newest).toMatchObject({ name: "laptop", status: "revoked" });
  });

  test("that is denied ends with a sentence and saves nothing", async () => {
    const login = startLogin(person, "login", service.api, approvalUrl);
    const { searchParams } = new URL((await login.found)[0]);
    const back = new URL(searchParams.get("redirect_uri") ?? "");
    back.searchParams.set("error", "access_denied");
    back.searchParams.set("state", searchParams.get("state") ?? "");
    expect(await (await fetch(back)).text()).toContain("The login was denied.");
    const { code, shown } = await login.ended;
    expect({ code, shown }).toEqual({ code: 4, shown: expect.stringContaining("The login was denied in the browser") });
    expect(existsSync(person.credentialFile)).toBe(false);
  });

  test("--device shows a code, and continues when it is approved", async () => {
    const login = startLogin(person, "login --device", service.api, userCode);
    const [shownCode] = await login.found;
    const approval = { decision: "approve", name: "pi", scopes: ["publish"] };
    expect((await ada.post(`/oauth/device/${shownCode}`, approval)).status).toBe(204);
    expect((await login.ended).code).toBe(0);
    const whoami = await person.run(["whoami", "--json"], { env: { SVC_API: service.api } });
    expect(whoami.json.auth).toMatchObject({ name: "pi", scopes: ["publish"] });
  });

  test("--device that is denied ends with a sentence", async () => {
    const login = startLogin(person, "login --device", service.api, userCode);
    await ada.post(`/oauth/device/${(await login.found)[0]}`, { decision: "deny" });
    const { code, shown } = await login.ended;
    expect({ code, shown }).toEqual({ code: 4, shown: expect.stringContaining("The login was denied in the browser") });
  });

  test.each([
    ["login", "Ctrl-C stops the login"],
    ["login --device", "type this code"],
  ])("svc %s that is stopped by Ctrl-C says that nothing was saved", async (args, typeAfter) => {
    const login = startLogin(person, args, service.api, /./, { typed: "\u0003", typeAfter });
    const { code, shown } = await login.ended;
    expect({ code, shown }).toEqual({
      code: 130,
      shown: expect.stringContaining("The login was stopped; nothing was saved."),
    });
    expect(existsSync(person.credentialFile)).toBe(false);
  });

  test("without a browser shows the URL and waits", async () => {
    const env = { BROWSER: join(person.home, "no-such-browser") };
    const login = startLogin(person, "login", service.api, approvalUrl, { env });
    const url = new URL((await login.found)[0]);
    // Time for a program that does not exist to be reported.
    await delay(300);
    await fetch(await approve(url));
    expect((await login.ended).code).toBe(0);
  });

  test("that nobody approves, because the tab was closed, ends after ten minutes", async () => {
    const quick = join(person.home, "quick.cjs");
    writeFileSync(
      quick,
      "const real = setTimeout; globalThis.setTimeout = (work, ms, ...more) => real(work, ms === 600_000 ? 100 : ms, ...more);",
    );
    const env = { NODE_OPTIONS: `--require=${quick}` };
    const { code, shown } = await startLogin(person, "login", service.api, approvalUrl, { env }).ended;
    expect({ code, shown }).toEqual({
      code: 1,
      shown: expect.stringContaining("Nobody approved the login within ten minutes; nothing was saved."),
    });
  });
});
