import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "@jest/globals";
import { testClients } from "../../test/long/clients/sign-in.ts";
import { programClient } from "./program-client.ts";

/* Clients in other languages. */
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
testClients([
  ["authlib", authlib, noPython],
  ["requests-oauthlib", { code: requestsOauthlib.code }, noPython],
  ["golang.org/x/oauth2", programClient(goClient), noGo],
]);
