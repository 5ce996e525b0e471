import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "@jest/globals";
import {
  type AuthorizationRequest,
  authorizationResponseUrl,
  decideAuthorizationRequest,
} from "../../../contract/api/authorization-request.ts";
import { actorsOf, type Developer } from "../../support/service/actors.ts";
import { useService } from "../../support/service/suite.ts";
import type { Client, Outcome } from "./client.ts";
import { byOauth4webapi, byOpenidClient } from "./javascript-clients.ts";
import { programClient } from "./program-client.ts";

/*
 * Clients that were not written for this service sign in to it over a real socket: discovery, then the code flow and the device
 * flow, approved and denied. A person with the dashboard is played by the same two functions that the dashboard calls.
 */
const service = useService();
const actors = actorsOf(service);
const folder = mkdtempSync(join(tmpdir(), "svc-clients-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const here = import.meta.dirname;
const python = ["/usr/bin/python3", join(here, "python_client.py")] as const;
const goClient = join(folder, "go_client");

/** Why a language's client is left out; undefined: it can run. */
function missing(command: string, args: readonly string[], env: Record<string, string> = {}): string | undefined {
  const { status, stderr } = spawnSync(command, args, { env: { ...process.env, ...env }, encoding: "utf8" });
  return status === 0 ? undefined : (stderr?.trim().split("\n").at(-1) ?? "not installed");
}

const noPython = missing(python[0], ["-c", "import authlib, requests_oauthlib"]);
const noGo = missing("go", ["build", "-o", goClient, join(here, "go_client.go")], {
  GO111MODULE: "off",
  GOPATH: "/usr/share/gocode",
  GOCACHE: join(folder, "cache"),
});
if (noPython !== undefined)
  console.warn(`Python's clients are skipped: install python3-authlib and python3-requests-oauthlib (${noPython}).`);
if (noGo !== undefined)
  console.warn(`Go's client is skipped: install golang-go and golang-golang-x-oauth2-dev (${noGo}).`);

const authlib = programClient(...python, "authlib");
const requestsOauthlib = programClient(...python, "requests-oauthlib");
const clients: (readonly [string, Client, skipped?: string | undefined])[] = [
  ["oauth4webapi", byOauth4webapi],
  ["openid-client", byOpenidClient],
  ["authlib", authlib, noPython],
  ["requests-oauthlib", { code: requestsOauthlib.code }, noPython],
  ["golang.org/x/oauth2", programClient(goClient), noGo],
];

/** The person opens the authorization URL, and approves or denies. */
function browse(person: Developer, isApproved: boolean) {
  return async (url: URL): Promise<string> => {
    const decision = decideAuthorizationRequest(url.searchParams, service.api);
    if (decision.kind !== "ask") return decision.kind === "redirect" ? decision.url : decision.detail;
    const { request } = decision;
    if (!isApproved) return authorizationResponseUrl(request, { error: "access_denied" }, service.api);
    const { body } = await person.post("/oauth/approvals", approvalOf(request));
    return body.redirect_to;
  };
}

function approvalOf({ redirectUri, state, codeChallenge }: AuthorizationRequest) {
  const asked = {
    client_id: "svc-cli",
    redirect_uri: redirectUri,
    code_challenge: codeChallenge,
    ...(state && { state }),
  };
  return { ...asked, code_challenge_method: "S256", name: "foreign", scopes: ["publish"] };
}

/** The person types the code that a machine shows, and approves or denies. */
function enter(person: Developer, isApproved: boolean) {
  return async (userCode: string): Promise<void> => {
    const answer = isApproved ? { decision: "approve", name: "foreign", scopes: ["publish"] } : { decision: "deny" };
    expect((await person.post(`/oauth/device/${userCode}`, answer)).status).toBe(204);
  };
}

async function expectToken(outcome: Outcome): Promise<void> {
  expect(outcome).toEqual({ access_token: expect.stringMatching(/^pat_/) });
  const me = await actors.bearer("access_token" in outcome ? outcome.access_token : "").get("/me");
  expect(me.body.auth).toMatchObject({ kind: "token", name: "foreign", scopes: ["publish"] });
}

for (const [name, { code, device }, skipped] of clients)
  describe(name, () => {
    const testWhere = skipped === undefined ? test : test.skip;
    if (code !== undefined) {
      testWhere("gets a token by the code flow", async () => {
        await expectToken(await code(service.api, browse(await actors.developer(), true)));
      });
      testWhere("is told that the person denied", async () => {
        const outcome = await code(service.api, browse(await actors.developer(), false));
        expect(outcome).toEqual({ error: "access_denied" });
      });
    }
    if (device !== undefined) {
      testWhere("gets a token by the device flow", async () => {
        await expectToken(await device(service.api, enter(await actors.developer(), true)));
      });
      testWhere("is told that the person denied at the device's code", async () => {
        const outcome = await device(service.api, enter(await actors.developer(), false));
        expect(outcome).toEqual({ error: "access_denied" });
      });
    }
  });
