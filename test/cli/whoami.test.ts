import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "@jest/globals";
import { maskToken } from "../../contract/api/tokens/token-format.ts";
import { accountKey, keys } from "../../functions/table/keys.ts";
import { cliProgram } from "../support/cli/cli.ts";
import { useCliSession } from "../support/cli/session.ts";
import { actorsOf } from "../support/service/actors.ts";
import { useService } from "../support/service/suite.ts";
import { setAttribute } from "../support/table/stored.ts";

const service = useService();
const ada = useCliSession(service);

test.each([
  ["22.20.0", 1],
  ["22.21.0", 0],
  ["24.4.1", 1],
  ["24.5.0", 0],
])("with Node %s svc exits with %i, and with one sentence if that is too old", async (version, code) => {
  const preload = join(ada.person.home, "version.cjs");
  writeFileSync(
    preload,
    `Object.defineProperty(process.versions, "node", { value: "${version}" });
     Object.defineProperty(process, "version", { value: "v${version}" });`,
  );
  const program = [process.execPath, "--require", preload, cliProgram];
  expect(await ada.person.run(["--version"], { program })).toMatchObject({
    code,
    stderr:
      code === 0
        ? ""
        : `svc needs Node.js 22.21 or later, or 24.5 or later; this is v${version}. Install a newer one: https://nodejs.org\n`,
  });
});

describe("svc whoami", () => {
  test("shows account, token, its source and its expiry", async () => {
    ada.save();
    const { code, stdout, stderr } = await ada.svc(["whoami"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout.split("\n")).toEqual([
      `Ada Lovelace (${ada.developer.uid}), developer`,
      `  api       ${service.api} (from SVC_API)`,
      `  token     ${maskToken(ada.token.credential)} from ${ada.person.credentialFile}`,
      "  name      laptop",
      "  scopes    publish",
      "  projects  all",
      expect.stringMatching(/^ {2}expires {3}\d{4}-\d\d-\d\d \d\d:\d\d UTC \(90 days left\)$/),
      "  stored    0 B of 50 GiB, 0 of 250,000 objects",
      "",
    ]);
  });

  test("counts how long the token lasts by the API's clock if its own is two hours behind, and says so", async () => {
    const options = `--import=${fileURLToPath(new URL("../support/shift-clock.mjs", import.meta.url))}`;
    const soon = await ada.developer.token({ expires_in_days: 1 });
    const env = { NODE_OPTIONS: options, CLOCK_SHIFT_SECONDS: "-7200", SVC_TOKEN: soon.credential };
    const { stdout, stderr } = await ada.svc(["whoami"], { env });
    expect(stdout).toMatch(/ \(24 hours left\)$/m);
    expect(stderr.split("\n")).toEqual([
      `warning: This machine's clock is 2 hours behind. svc goes by the clock of ${service.api}; set this one right.`,
      expect.stringMatching(
        /^warning: This token expires in 24 hours \(.* UTC\)\. Replace it in time: svc login, or the dashboard\.$/,
      ),
      "",
    ]);
  });

  test("with --json prints what GET /me says and where the credential came from", async () => {
    ada.save();
    const { json } = await ada.person.run(["whoami", "--json"]);
    const { body } = await ada.token.get("/me");
    expect(json).toEqual({
      ...body,
      expires_in_days: expect.any(Number),
      accounts: [],
      api: service.api,
      credential: { source: "file", path: ada.person.credentialFile },
    });
  });

  test("says since when and why the account is suspended", async () => {
    const suspended = await actorsOf(service).developer();
    const { credential } = await suspended.token();
    const at = new Date().toISOString();
    await setAttribute(service, keys.account(accountKey(service.issuer, suspended.uid)), "suspension", {
      at,
      reason: "spam",
    });
    const { code, stdout } = await ada.svc(["whoami"], { env: { SVC_TOKEN: credential } });
    expect(code).toBe(0);
    expect(stdout).toMatch(
      new RegExp(`^ {2}suspended +since ${at.slice(0, 16).replace("T", " ")} UTC \\(spam\\)$`, "m"),
    );
  });

  test("SVC_TOKEN takes precedence over the saved token if only the login names the API, and one line says which", async () => {
    ada.save();
    const other = await ada.developer.token({ name: "of the variable" });
    const { code, json, stderr } = await ada.person.run(["whoami", "--json"], { env: { SVC_TOKEN: other.credential } });
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: `warning: SVC_TOKEN is sent to ${service.api}, the API of the last login: SVC_API would name another.\n`,
    });
    expect(json).toMatchObject({
      api: service.api,
      auth: { name: "of the variable" },
      credential: { source: "SVC_TOKEN" },
    });
    const chosen = await ada.person.run(["whoami", "--json", "--api", service.api], {
      env: { SVC_TOKEN: other.credential },
    });
    expect(chosen).toMatchObject({ code: 0, stderr: "", json: { auth: { name: "of the variable" } } });
  });

  test.each(["whoami", "login --token -"])("svc %s without an API says that one must be chosen", async (args) => {
    const { code, json } = await ada.person.run([...args.split(" "), "--json"], { input: ada.token.credential });
    expect(code).toBe(2);
    expect(json.error).toMatchObject({
      code: "api_not_chosen",
      message: "No API is chosen, and this svc has no built-in one.",
      next: "For the service that npm start runs here: svc login --api http://127.0.0.1:8787. For another one: --api URL, or SVC_API.",
    });
    const withToken = await ada.person.run(["whoami", "--json"], { env: { SVC_TOKEN: ada.token.credential } });
    expect(withToken.json.error.code).toBe("api_not_chosen");
  });

  test("without any token exits with 4 and says how to log in", async () => {
    const { code, stdout, stderr } = await ada.svc(["whoami"]);
    expect({ code, stdout }).toEqual({ code: 4, stdout: "" });
    expect(stderr).toBe(
      `error: You are not logged in to ${service.api}.\n  not_logged_in\n  next: svc login, or set SVC_TOKEN.\n`,
    );
  });

  test("an empty SVC_TOKEN, as CI gives for a missing secret, is named as the cause", async () => {
    const { code, json } = await ada.svc(["whoami", "--json"], { env: { SVC_TOKEN: "" } });
    expect(code).toBe(4);
    expect(json.error.message).toContain("SVC_TOKEN is set but empty");
  });

  test("a revoked token exits with 4 and the API's own sentence", async () => {
    const doomed = await ada.developer.token();
    await ada.developer.delete(`/tokens/${doomed.id}`);
    const { code, json } = await ada.svc(["whoami", "--json"], { env: { SVC_TOKEN: doomed.credential } });
    expect(code).toBe(4);
    expect(json.error).toMatchObject({ code: "token_revoked", status: 401, exit_code: 4 });
    expect(json.error.message).toContain("was revoked");
    expect(json.error.request_id).toEqual(expect.any(String));
  });

  test("a saved token is not sent to another API than its own", async () => {
    ada.save();
    const { code, json } = await ada.person.run(["whoami", "--json", "--api", "http://localhost:9"]);
    expect(code).toBe(4);
    expect(json.error).toMatchObject({
      code: "not_logged_in",
      next: "svc login --api http://localhost:9, or set SVC_TOKEN.",
    });
  });
});
