import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { beforeAll, expect, test } from "@jest/globals";
import { maskToken } from "../../../contract/api/tokens/token-format.ts";
import { credentialFileWith, inventToken, saveCredentials } from "../../support/cli/cli.ts";
import { type Behaviour, sendJson, startMisbehavingServer } from "../../support/network/misbehaving-server.ts";
import { actorsOf, type Developer } from "../../support/service/actors.ts";
import { useCliUser, useServers, useService } from "../../support/service/suite.ts";

const service = useService();
const person = useCliUser();
const start = useServers();
let developer: Developer;

beforeAll(async () => {
  developer = await actorsOf(service).developer();
});

const save = (api: string, token: string) => saveCredentials(person, credentialFileWith(api, token));

/** Saves an invented token for a server that does this with every request. */
async function saveForBroken(behaviour: Behaviour) {
  const { origin } = await start(startMisbehavingServer(behaviour));
  const token = inventToken();
  save(origin, token);
  return { token, origin };
}

const logout = (...flags: string[]) => person.run(["logout", "--revoke", ...flags]);

const refuse =
  (status: number, code: string): Behaviour =>
  (_, response) =>
    sendJson(response, status, { type: "about:blank", title: "No", status, detail: "It is not so.", code });

test("ends the token on the server and removes it here", async () => {
  const token = await developer.token({ name: "laptop" });
  save(service.api, token.credential);
  const { code, stdout, stderr } = await logout();
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toBe(
    `Revoked ${maskToken(token.credential)} at ${service.api}, and removed it from ${person.credentialFile}.\n`,
  );
  expect(existsSync(person.credentialFile)).toBe(false);
  expect((await token.get("/me")).body.code).toBe("token_revoked");
});

test("removes a token that is revoked already", async () => {
  const token = await developer.token({ name: "laptop" });
  save(service.api, token.credential);
  await developer.delete(`/tokens/${token.id}`);
  const { code, stdout } = await logout();
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("refused") });
  expect(existsSync(person.credentialFile)).toBe(false);
});

test.each(["token_expired", "token_invalid"])("removes a token that the server refuses with %s", async (code) => {
  await saveForBroken(refuse(401, code));
  expect(await logout()).toMatchObject({ code: 0, stdout: expect.stringContaining("refused") });
  expect(existsSync(person.credentialFile)).toBe(false);
});

test("has revoked the token if only the response was lost", async () => {
  const { token, origin } = await saveForBroken((request, response, number) =>
    number === 1 ? request.socket.destroy() : refuse(401, "token_revoked")(request, response, number),
  );
  expect(await logout()).toMatchObject({
    code: 0,
    stdout: `Revoked ${maskToken(token)} at ${origin}, and removed it from ${person.credentialFile}.\n`,
  });
});

test("with --json says which tokens were removed", async () => {
  const token = await developer.token({ name: "laptop" });
  save(service.api, token.credential);
  expect((await logout("--json")).json).toEqual({
    removed: true,
    path: person.credentialFile,
    revoked: true,
    svc_token_still_set: false,
    removed_tokens: [{ api: service.api, hint: token.credential.slice(-4) }],
  });
});

test("without a saved token it sends no request and says so", async () => {
  const { code, json } = await logout("--json");
  expect({ code, removed: json.removed, revoked: json.revoked }).toEqual({ code: 0, removed: false, revoked: false });
  expect((await logout()).stdout).toBe(`There is no saved token to revoke (${person.credentialFile}).\n`);
});

test("SVC_TOKEN is neither revoked nor cleared", async () => {
  const token = await developer.token({ name: "ci" });
  const { code, stderr } = await person.run(["logout", "--revoke"], { env: { SVC_TOKEN: token.credential } });
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining("SVC_TOKEN is still set") });
  expect((await token.get("/me")).status).toBe(200);
});

test("a token that cannot be revoked stays saved, and the others are removed", async () => {
  const { token, origin } = await saveForBroken(refuse(403, "account_suspended"));
  const { credential } = await developer.token({ name: "laptop" });
  await person.run(["login", "--token", "-", "--api", service.api], { input: credential });
  const { code, stdout, stderr } = await logout();
  expect({ code, stdout }).toEqual({ code: 4, stdout: expect.stringContaining(`at ${service.api}`) });
  expect(stderr).toContain(`error: ${maskToken(token)} could not be revoked and stays saved.\n`);
  expect(stderr).toContain(`${origin}: The operator has suspended this account.`);
  expect(readFileSync(person.credentialFile, "utf8")).toBe(credentialFileWith(origin, token));
});

test.each<[string, Behaviour, number]>([
  ["fails", (_, response) => sendJson(response, 501, { message: "Not Implemented" }), 1],
  [
    "responds with 200 with a page",
    (_, response) => response.writeHead(200, { "content-type": "text/html" }).end("<p>"),
    1,
  ],
  ["responds with 200 with JSON", (_, response) => sendJson(response, 200, { revoked: true }), 1],
  [
    "is a login page in between",
    (_, response) => response.writeHead(401, { "content-type": "text/html" }).end("<p>"),
    1,
  ],
  ["asks for another credential", refuse(401, "credential_missing"), 4],
  ["is older than self-revocation", refuse(403, "session_required"), 4],
  ["redirects elsewhere", (_, response) => response.writeHead(302, { location: "https://other.example/" }).end(), 1],
])("a token stays saved if the server %s", async (_, behaviour, expected) => {
  const { token, origin } = await saveForBroken(behaviour);
  const { code, json } = await logout("--json");
  expect({ code, error: json.error.code }).toEqual({ code: expected, error: "token_not_revoked" });
  expect(readFileSync(person.credentialFile, "utf8")).toBe(credentialFileWith(origin, token));
});

test("a damaged file is left as it is", async () => {
  save("http://127.0.0.1:9", inventToken());
  writeFileSync(person.credentialFile, "damaged\n");
  const { code, json } = await logout("--json");
  expect({ code, error: json.error.code }).toEqual({ code: 1, error: "credential_file_damaged" });
  expect(readFileSync(person.credentialFile, "utf8")).toBe("damaged\n");
});
