import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { maskToken } from "../../contract/api/tokens/token-format.ts";
import { credentialFileWith, inventToken, modeOf, saveCredentials } from "../support/cli/cli.ts";
import { useCliSession } from "../support/cli/session.ts";
import { startMisbehavingServer } from "../support/network/misbehaving-server.ts";
import { actorsOf } from "../support/service/actors.ts";
import { useService } from "../support/service/suite.ts";

const service = useService();
const ada = useCliSession(service);

describe("svc login", () => {
  test("saves a token that the API confirms, for that API, in a file that only its owner can read", async () => {
    const { code, stdout, stderr } = await ada.login();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toBe(
      `Logged in to ${service.api} as Ada Lovelace (${ada.developer.uid}). ${maskToken(ada.token.credential)} is saved in ${ada.person.credentialFile}.\n`,
    );
    expect(readFileSync(ada.person.credentialFile, "utf8")).toBe(
      credentialFileWith(service.api, ada.token.credential, { uid: ada.developer.uid, name: "Ada Lovelace" }),
    );
    expect(modeOf(ada.person.credentialFile)).toBe(0o600);
    expect(modeOf(join(ada.person.home, ".config", "svc"))).toBe(0o700);
  });

  test("a token that the API refuses is not saved, and the earlier one stays", async () => {
    ada.save();
    const before = readFileSync(ada.person.credentialFile);
    const { code, stdout, stderr } = await ada.login(inventToken());
    expect({ code, stdout }).toEqual({ code: 4, stdout: "" });
    expect(stderr).toMatch(
      /^error: No such personal access token exists\..*\n {2}token_invalid · status 401 · request \S+\n/,
    );
    expect(readFileSync(ada.person.credentialFile)).toEqual(before);
  });

  test("--no-verify saves it without a request, and says what that means", async () => {
    const { code, stdout } = await ada.login(inventToken(), "--no-verify");
    expect(code).toBe(0);
    expect(stdout).toContain(
      "without asking the API: svc does not know whether the token is valid, or what it may do.",
    );
    expect((await ada.svc(["whoami"])).code).toBe(4);
  });

  test("saves the token while SVC_TOKEN is set, and says that the variable is used", async () => {
    const other = await ada.developer.token({ name: "ci" });
    const { code, stderr } = await ada.svc(["login", "--token", "-"], {
      input: ada.token.credential,
      env: { SVC_TOKEN: other.credential },
    });
    expect(code).toBe(0);
    expect(stderr).toBe("warning: SVC_TOKEN is set: svc uses it instead of the saved token until you unset it.\n");
    expect((await ada.svc(["whoami", "--json"])).json.auth.name).toBe("laptop");
    const overridden = await ada.svc(["whoami", "--json"], { env: { SVC_TOKEN: other.credential } });
    expect(overridden.json).toMatchObject({ auth: { name: "ci" }, credential: { source: "SVC_TOKEN" } });
  });

  test("with --json prints one document without the token", async () => {
    const { code, json, stderr } = await ada.login(ada.token.credential, "--json");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(json).toMatchObject({
      api: service.api,
      path: ada.person.credentialFile,
      verified: true,
      overridden_by_svc_token: false,
      user: { uid: ada.developer.uid },
      auth: { kind: "token", token_id: ada.token.id },
    });
  });

  test("refuses a token cut short offline", async () => {
    // Nothing listens there: a request would fail differently.
    const input = `${inventToken().slice(0, -1)}\n`;
    const result = await ada.person.run(["login", "--token", "-", "--json", "--api", "http://127.0.0.1:9"], { input });
    expect(result).toMatchObject({ code: 4, json: { error: { code: "token_malformed", exit_code: 4 } } });
    expect(existsSync(ada.person.credentialFile)).toBe(false);
  });

  test("again with the token that is saved says nothing of one that it replaces", async () => {
    ada.save();
    const { code, stderr } = await ada.svc(["login", "--token", "-"], { input: ada.token.credential });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });

  test.each([["--token", inventToken()], ["anything"]])(
    "refuses a token as an argument and says why",
    async (...args) => {
      const { code, stderr } = await ada.svc(["login", ...args]);
      expect(code).toBe(2);
      expect(stderr).toContain("the shell's history and the process list show it");
    },
  );

  test("without a terminal and without --token - it says what to do", async () => {
    const { code, stderr } = await ada.svc(["login"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/svc login --device .*svc login --token -/s);
  });
});

describe("svc logout", () => {
  test("removes the file and says that the token still works", async () => {
    ada.save();
    const { code, stdout, stderr } = await ada.svc(["logout"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toBe(
      `Removed ${ada.person.credentialFile}.\n${maskToken(ada.token.credential)} still works: revoke it in the dashboard of ${service.api}. Next time, svc logout --revoke does both.\n`,
    );
    expect(existsSync(ada.person.credentialFile)).toBe(false);
    expect((await ada.token.get("/me")).status).toBe(200);
    expect((await ada.svc(["whoami"])).code).toBe(4);
  });

  test("says that an exported SVC_TOKEN is still used", async () => {
    const { code, stdout, stderr } = await ada.svc(["logout"], { env: { SVC_TOKEN: ada.token.credential } });
    expect(code).toBe(0);
    expect(stdout).toBe(`There is no saved token (${ada.person.credentialFile} does not exist).\n`);
    expect(stderr).toBe("warning: SVC_TOKEN is still set, and svc still uses it. To clear it: unset SVC_TOKEN\n");
  });

  test("--revoke revokes the token on the server too, and keeps one that cannot be revoked", async () => {
    const short = await ada.developer.token({ name: "short" });
    saveCredentials(ada.person, credentialFileWith(service.api, short.credential));
    const { code, stdout } = await ada.svc(["logout", "--revoke"]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("Revoked pat_") });
    expect((await short.get("/me")).body.code).toBe("token_revoked");
    // Nothing listens there.
    const api = "http://127.0.0.1:9";
    saveCredentials(ada.person, credentialFileWith(api, ada.token.credential));
    expect((await ada.svc(["logout", "--revoke", "--json"])).json.error.code).toBe("token_not_revoked");
    expect(readFileSync(ada.person.credentialFile, "utf8")).toBe(credentialFileWith(api, ada.token.credential));
  });

  test("with --json prints the same as a document", async () => {
    ada.save();
    expect((await ada.svc(["logout", "--json"])).json).toEqual({
      removed: true,
      path: ada.person.credentialFile,
      revoked: false,
      svc_token_still_set: false,
      still_valid: [{ api: service.api, hint: ada.token.credential.slice(-4) }],
    });
  });
});

describe("several accounts at one API", () => {
  /** Ada's login from before there were several, then Grace's. */
  async function logInBoth() {
    const grace = await actorsOf(service).developer({ name: "Grace Hopper" });
    const token = await grace.token({ name: "grace's" });
    ada.save();
    const login = await ada.login(token.credential);
    return { grace, token, login };
  }
  const whose = async (...flags: string[]) => (await ada.svc(["whoami", "--json", ...flags])).json;

  test("stay logged in, and each is chosen by user ID or name; without that it is the latest login", async () => {
    const { grace, token, login } = await logInBoth();
    expect({ code: login.code, stdout: login.stdout }).toEqual({
      code: 0,
      stdout: expect.stringContaining(`Ada Lovelace (${ada.developer.uid}) stays logged in there`),
    });
    expect(readFileSync(ada.person.credentialFile, "utf8").split("\n").slice(1)).toEqual([
      `${service.api} ${token.credential} ${grace.uid} Grace%20Hopper`,
      `${service.api} ${ada.token.credential} ${ada.developer.uid} Ada%20Lovelace`,
      "",
    ]);
    expect(modeOf(ada.person.credentialFile)).toBe(0o600);
    expect((await whose()).user.uid).toBe(grace.uid);
    for (const name of [ada.developer.uid, "Ada Lovelace", "ada lovelace"])
      expect(await whose("--account", name)).toMatchObject({
        user: { uid: ada.developer.uid },
        accounts: [
          { uid: grace.uid, name: "Grace Hopper" },
          { uid: ada.developer.uid, name: "Ada Lovelace" },
        ],
      });
    expect((await ada.svc(["whoami"])).stdout).toContain(
      `  also      Ada Lovelace (${ada.developer.uid}): --account ${ada.developer.uid}\n`,
    );
    expect((await ada.svc(["projects", "list", "--account", "nobody", "--json"])).json.error).toMatchObject({
      code: "account_not_saved",
      exit_code: 2,
      places: expect.arrayContaining([`Grace Hopper (${grace.uid}) at ${service.api}`]),
    });
    // The next login of one of them makes it the latest, and replaces its own token alone.
    const again = await ada.developer.token({ name: "again" });
    expect((await ada.login(again.credential)).stderr).toContain("which this login replaces, still works");
    expect((await whose()).auth.name).toBe("again");
    expect((await whose("--account", grace.uid)).auth.name).toBe("grace's");
    expect(readFileSync(ada.person.credentialFile, "utf8").split("\n")).toHaveLength(4);
  });

  test("of whom two have one name are told apart by the user ID alone", async () => {
    await logInBoth();
    const namesake = await actorsOf(service).developer({ name: "Grace Hopper" });
    await ada.login((await namesake.token()).credential);
    expect((await whose("--account", "Grace Hopper")).error.code).toBe("account_not_saved");
    expect((await whose("--account", namesake.uid)).user.uid).toBe(namesake.uid);
  });

  test("a token goes to its own API alone, whatever --account names, and SVC_TOKEN beside it is refused", async () => {
    const { grace, token } = await logInBoth();
    const other = await startMisbehavingServer((_, response) => response.end());
    const there = await whose("--account", grace.uid, "--api", other.origin).finally(() => other.stop());
    expect({ code: there.error.code, requests: other.requests }).toEqual({ code: "not_logged_in", requests: [] });
    const env = { SVC_TOKEN: token.credential };
    const both = await ada.svc(["whoami", "--account", grace.uid, "--json"], { env });
    expect(both.json.error).toMatchObject({ code: "two_tokens", exit_code: 2 });
  });

  test("svc logout --account removes one, and with --revoke revokes that one alone", async () => {
    const { grace, token } = await logInBoth();
    expect((await ada.svc(["logout", "--account", "nobody"])).code).toBe(2);
    const revoked = await ada.svc(["logout", "--revoke", "--account", "Grace Hopper"]);
    expect(revoked).toMatchObject({ code: 0, stdout: expect.stringContaining("Revoked pat_") });
    expect((await token.get("/me")).body.code).toBe("token_revoked");
    expect((await whose()).user.uid).toBe(ada.developer.uid);
    expect((await whose("--account", grace.uid)).error.code).toBe("account_not_saved");
    expect(modeOf(ada.person.credentialFile)).toBe(0o600);
    expect((await ada.svc(["logout", "--api", "http://127.0.0.1:9"])).stdout).toContain("There is no such token");
    const removed = await ada.svc(["logout", "--account", ada.developer.uid, "--api", service.api]);
    expect(removed.stdout).toMatch(/^Removed the token of Ada Lovelace \(.*still works/s);
    expect(existsSync(ada.person.credentialFile)).toBe(false);
    expect((await ada.token.get("/me")).status).toBe(200);
  });
});
