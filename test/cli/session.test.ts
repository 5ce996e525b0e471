import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { maskToken } from "../../contract/token-format.ts";
import { accountKey, keys } from "../../functions/table/keys.ts";
import { credentialFileWith, inventToken, modeOf } from "../support/cli/cli.ts";
import { type Actors, actorsOf, type Developer, type TokenActor } from "../support/service/actors.ts";
import { useCliUser, useService } from "../support/service/suite.ts";
import { setAttribute } from "../support/table/stored.ts";

const service = useService();
let actors: Actors;
let developer: Developer;
let token: TokenActor;
const person = useCliUser();

beforeAll(async () => {
  actors = actorsOf(service);
  developer = await actors.developer();
  token = await developer.token({ name: "laptop" });
});
/** Runs svc against the service. */
const svc = (args: string[], options: { input?: string; env?: Record<string, string> } = {}) =>
  person.run(args, { ...options, env: { SVC_API: service.api, ...options.env } });

const login = (credential = token.credential, ...flags: string[]) =>
  svc(["login", "--token", "-", ...flags], { input: `${credential}\n` });

describe("svc login", () => {
  test("saves a token that the API confirms, for that API, in a file that only its owner can read", async () => {
    const { code, stdout, stderr } = await login();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toBe(
      `Logged in to ${service.api} as Ada Lovelace (${developer.uid}). ${maskToken(token.credential)} is saved in ${person.credentialFile}.\n`,
    );
    expect(readFileSync(person.credentialFile, "utf8")).toBe(credentialFileWith(service.api, token.credential));
    expect(modeOf(person.credentialFile)).toBe(0o600);
    expect(modeOf(join(person.home, ".config", "svc"))).toBe(0o700);
  });

  test("a token that the API refuses is not saved, and the earlier one stays", async () => {
    await login();
    const before = readFileSync(person.credentialFile);
    const { code, stdout, stderr } = await login(inventToken());
    expect({ code, stdout }).toEqual({ code: 4, stdout: "" });
    expect(stderr).toMatch(
      /^error: No such personal access token exists\..*\n {2}token_invalid · status 401 · request \S+\n/,
    );
    expect(readFileSync(person.credentialFile)).toEqual(before);
  });

  test("--no-verify saves it without a request, and says what that means", async () => {
    const { code, stdout } = await login(inventToken(), "--no-verify");
    expect(code).toBe(0);
    expect(stdout).toContain(
      "without asking the API: svc does not know whether the token is valid, or what it may do.",
    );
    expect((await svc(["whoami"])).code).toBe(4);
  });

  test("saves the token while SVC_TOKEN is set, and says that the variable is used", async () => {
    const other = await developer.token({ name: "ci" });
    const { code, stderr } = await svc(["login", "--token", "-"], {
      input: token.credential,
      env: { SVC_TOKEN: other.credential },
    });
    expect(code).toBe(0);
    expect(stderr).toBe("warning: SVC_TOKEN is set: svc uses it instead of the saved token until you unset it.\n");
    expect((await svc(["whoami", "--json"])).json.auth.name).toBe("laptop");
    const overridden = await svc(["whoami", "--json"], { env: { SVC_TOKEN: other.credential } });
    expect(overridden.json).toMatchObject({ auth: { name: "ci" }, credential: { source: "SVC_TOKEN" } });
  });

  test("with --json prints one document without the token", async () => {
    const { code, json, stderr } = await login(token.credential, "--json");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(json).toMatchObject({
      api: service.api,
      path: person.credentialFile,
      verified: true,
      overridden_by_svc_token: false,
      user: { uid: developer.uid },
      auth: { kind: "token", token_id: token.id },
    });
  });

  test.each([
    ["nothing", "", 2, "token_empty"],
    ["only white space", " \n\n", 2, "token_empty"],
    ["several lines", `${inventToken()}\n${inventToken()}\n`, 2, "token_lines"],
    ["another prefix", "ghp_0123456789abcdef\n", 4, "token_malformed"],
    ["a mistyped token", `${inventToken().slice(0, -1)}!\n`, 4, "token_malformed"],
    ["a token cut short", `${inventToken().slice(0, -1)}\n`, 4, "token_malformed"],
  ])("refuses %s offline", async (_, input, code, reason) => {
    // Nothing listens there: a request would fail differently.
    const result = await person.run(["login", "--token", "-", "--json", "--api", "http://127.0.0.1:9"], { input });
    expect(result.code).toBe(code);
    expect(result.json.error).toMatchObject({ code: reason, exit_code: code });
    expect(existsSync(person.credentialFile)).toBe(false);
  });

  test("white space around the token is ignored", async () => {
    expect((await svc(["login", "--token", "-"], { input: `\uFEFF  ${token.credential}\r\n\r\n` })).code).toBe(0);
  });

  test.each([["--token", inventToken()], [`--token=${inventToken()}`], [inventToken()], ["anything"]])(
    "refuses a token as an argument and says why",
    async (...args) => {
      const { code, stderr } = await svc(["login", ...args]);
      expect(code).toBe(2);
      expect(stderr).toContain("the shell's history and the process list show it");
    },
  );

  test("without a terminal and without --token - it says what to do", async () => {
    const { code, stderr } = await svc(["login"]);
    expect(code).toBe(2);
    expect(stderr).toContain("svc login --token -");
  });
});

describe("svc whoami", () => {
  test("shows account, token, its source and its expiry", async () => {
    await login();
    const { code, stdout, stderr } = await svc(["whoami"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout.split("\n")).toEqual([
      `Ada Lovelace (${developer.uid}), developer`,
      `  api       ${service.api} (from SVC_API)`,
      `  token     ${maskToken(token.credential)} from ${person.credentialFile}`,
      "  name      laptop",
      "  scopes    publish",
      "  projects  all",
      expect.stringMatching(/^ {2}expires {3}\d{4}-\d\d-\d\d \d\d:\d\d UTC \(90 days left\)$/),
      "  stored    0 B of 50 GiB, 0 of 250,000 objects",
      "",
    ]);
  });

  test("with --json prints what GET /me says and where the credential came from", async () => {
    await login();
    const { json } = await person.run(["whoami", "--json"]);
    const { body } = await token.get("/me");
    expect(json).toEqual({
      ...body,
      expires_in_days: expect.any(Number),
      api: service.api,
      credential: { source: "file", path: person.credentialFile },
    });
  });

  test("says since when and why the account is suspended", async () => {
    const suspended = await actors.developer();
    const { credential } = await suspended.token();
    const at = new Date().toISOString();
    await setAttribute(service, keys.account(accountKey(service.issuer, suspended.uid)), "suspension", {
      at,
      reason: "spam",
    });
    const { code, stdout } = await svc(["whoami"], { env: { SVC_TOKEN: credential } });
    expect(code).toBe(0);
    expect(stdout).toMatch(
      new RegExp(`^ {2}suspended +since ${at.slice(0, 16).replace("T", " ")} UTC \\(spam\\)$`, "m"),
    );
  });

  test("uses the API of the last login where nothing else names one", async () => {
    await login();
    const { stdout } = await person.run(["whoami"]);
    expect(stdout).toContain(`${service.api} (from the last login)`);
  });

  test("SVC_TOKEN is not sent to the API of the last login, because it may be for another", async () => {
    await login();
    const { code, json } = await person.run(["whoami", "--json"], { env: { SVC_TOKEN: token.credential } });
    expect(code).toBe(2);
    expect(json.error).toEqual({
      code: "api_not_chosen",
      message: `SVC_TOKEN is set, but not the API that it is for; the saved login is for ${service.api}.`,
      next: `If it is for that API: SVC_API=${service.api}`,
      exit_code: 2,
    });
    const chosen = await person.run(["whoami", "--json", "--api", service.api], {
      env: { SVC_TOKEN: token.credential },
    });
    expect(chosen.code).toBe(0);
  });

  test.each(["whoami", "login --token -"])("svc %s without an API says that one must be chosen", async (args) => {
    const { code, json } = await person.run([...args.split(" "), "--json"], { input: token.credential });
    expect(code).toBe(2);
    expect(json.error).toMatchObject({
      code: "api_not_chosen",
      message: "No API is chosen, and this svc has no built-in one.",
    });
    const withToken = await person.run(["whoami", "--json"], { env: { SVC_TOKEN: token.credential } });
    expect(withToken.json.error.code).toBe("api_not_chosen");
  });

  test("without any token exits with 4 and says how to log in", async () => {
    const { code, stdout, stderr } = await svc(["whoami"]);
    expect({ code, stdout }).toEqual({ code: 4, stdout: "" });
    expect(stderr).toBe(
      `error: You are not logged in to ${service.api}.\n  not_logged_in\n  next: svc login, or set SVC_TOKEN.\n`,
    );
  });

  test("an empty SVC_TOKEN, as CI gives for a missing secret, is named as the cause", async () => {
    const { code, json } = await svc(["whoami", "--json"], { env: { SVC_TOKEN: "" } });
    expect(code).toBe(4);
    expect(json.error.message).toContain("SVC_TOKEN is set but empty");
  });

  test("a revoked token exits with 4 and the API's own sentence", async () => {
    const doomed = await developer.token();
    await developer.delete(`/tokens/${doomed.id}`);
    const { code, json } = await svc(["whoami", "--json"], { env: { SVC_TOKEN: doomed.credential } });
    expect(code).toBe(4);
    expect(json.error).toMatchObject({ code: "token_revoked", status: 401, exit_code: 4 });
    expect(json.error.message).toContain("was revoked");
    expect(json.error.request_id).toEqual(expect.any(String));
  });

  test("warns of a token that expires within a week", async () => {
    const short = await developer.token({ expires_in_days: 3 });
    const { code, stderr } = await svc(["whoami"], { env: { SVC_TOKEN: short.credential } });
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /^warning: This token expires in 3 days \(.* UTC\)\. Replace it in time: svc login, or the dashboard\.\n$/,
    );
  });

  test("a saved token is not sent to another API than its own", async () => {
    await login();
    const { code, json } = await person.run(["whoami", "--json", "--api", "http://localhost:9"]);
    expect(code).toBe(4);
    expect(json.error).toMatchObject({
      code: "not_logged_in",
      next: "svc login --api http://localhost:9, or set SVC_TOKEN.",
    });
  });

  test.each([
    "http://api.example.com",
    "ftp://localhost",
    "localhost:8787",
    "http://127.0.0.1.example.com",
    "https://u:p@example.com",
  ])("refuses the API URL %s", async (url) => {
    const { code, json } = await person.run(["whoami", "--json"], {
      env: { SVC_API: url, SVC_TOKEN: token.credential },
    });
    expect(code).toBe(2);
    expect(json.error.code).toBe("invalid_api_address");
  });
});

describe("svc logout", () => {
  test("removes the file and says that the token still works", async () => {
    await login();
    const { code, stdout, stderr } = await svc(["logout"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toBe(
      `Removed ${person.credentialFile}.\n${maskToken(token.credential)} still works: revoke it in the dashboard of ${service.api}, or with DELETE /tokens/:id and your ID token.\n`,
    );
    expect(existsSync(person.credentialFile)).toBe(false);
    expect((await token.get("/me")).status).toBe(200);
    expect((await svc(["whoami"])).code).toBe(4);
  });

  test("says that an exported SVC_TOKEN is still used", async () => {
    const { code, stdout, stderr } = await svc(["logout"], { env: { SVC_TOKEN: token.credential } });
    expect(code).toBe(0);
    expect(stdout).toBe(`There is no saved token (${person.credentialFile} does not exist).\n`);
    expect(stderr).toBe("warning: SVC_TOKEN is still set, and svc still uses it. To clear it: unset SVC_TOKEN\n");
  });

  test("--revoke revokes the token on the server too, and keeps one that cannot be revoked", async () => {
    const short = await developer.token({ name: "short" });
    await login(short.credential);
    const { code, stdout } = await svc(["logout", "--revoke"]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("Revoked pat_") });
    expect((await short.get("/me")).body.code).toBe("token_revoked");
    // Nothing listens there.
    const api = "http://127.0.0.1:9";
    await person.run(["login", "--token", "-", "--no-verify", "--api", api], { input: token.credential });
    expect((await svc(["logout", "--revoke", "--json"])).json.error.code).toBe("token_not_revoked");
    expect(readFileSync(person.credentialFile, "utf8")).toBe(credentialFileWith(api, token.credential));
  });

  test("with --json prints the same as a document", async () => {
    await login();
    expect((await svc(["logout", "--json"])).json).toEqual({
      removed: true,
      path: person.credentialFile,
      revoked: false,
      svc_token_still_set: false,
      still_valid: [{ api: service.api, hint: token.credential.slice(-4) }],
    });
  });
});
