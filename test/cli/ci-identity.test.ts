import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { beforeEach, describe, expect, test } from "@jest/globals";
import { type CliResult, publishResult, writeFiles } from "../support/cli/cli.ts";
import {
  githubClaims,
  githubPublisher,
  gitlabClaims,
  newRepository,
  type Repository,
  startJobIssuers,
} from "../support/identity/jobs.ts";
import { startService } from "../support/service/service.ts";
import { duringTests, useCliUser, useOwner, useServers } from "../support/service/suite.ts";

/*
 * svc publish in a CI job without a secret: the built command line as a process, with what GitHub and GitLab give a job.
 */
const issuers = duringTests(startJobIssuers);
const service = duringTests(() => startService({ env: issuers.env }));
const ada = useOwner(service);
const person = useCliUser();
const keep = useServers();
let repository: Repository;
let publishers: string;
beforeEach(() => {
  repository = newRepository();
  publishers = `/projects/${ada.slug}/publishers`;
  writeFiles(`${person.home}/game`, { "index.html": `<h1>${repository.id}` });
});

type Changes = Readonly<Record<string, unknown>>;
const requestToken = "the-request-token-of-this-job";

/** GitHub's endpoint for identity tokens, for one job: it signs the audience that it is asked for. */
async function githubEndpoint(changes: Changes) {
  const audiences: (string | null)[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "", "http://localhost");
    if (request.headers.authorization !== `Bearer ${requestToken}`) return void response.writeHead(401).end();
    audiences.push(url.searchParams.get("audience"));
    const claims = { aud: url.searchParams.get("audience"), ...githubClaims(repository, changes) };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ count: 1, value: issuers.github.idToken({ claims }) }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/idtoken?api-version=2.0`, audiences, stop };
}

type Env = Readonly<Record<string, string>>;
const publish = (env: Env): Promise<CliResult> =>
  person.run(["publish", "game", "--project", ada.slug, "--json"], { env: { SVC_API: service.api, ...env } });

/** Publishes in a job of GitHub. */
async function inGitHub(changes: Changes = {}, env: Env = {}) {
  const endpoint = await keep(githubEndpoint(changes));
  const run = await publish({
    GITHUB_ACTIONS: "true",
    ACTIONS_ID_TOKEN_REQUEST_URL: endpoint.url,
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: requestToken,
    ...env,
  });
  const { code, stdout, stderr } = run;
  return { code, stdout, stderr, result: publishResult(run), audiences: endpoint.audiences };
}

const trustGitHub = (changes: object = {}) =>
  ada.post(publishers, { ...githubPublisher(repository, issuers.github.issuer), ...changes });

const tokenEvents = async () =>
  (await ada.get("/me/events")).body.events
    .map(({ type }: { type: string }) => type)
    .filter((type: string) => /token|release/.test(type));

describe("a job of GitHub that a publisher names", () => {
  test("publishes without a secret, says by what, and ends its token", async () => {
    await trustGitHub();
    const { code, stderr, result, audiences } = await inGitHub();
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining("Publishing as this GitHub job, by its identity and without a stored token.\n"),
    });
    expect(audiences).toEqual([service.api]);
    expect((await ada.get(`/projects/${ada.slug}`)).body.current_release.id).toBe(result.release);
    expect(await tokenEvents()).toEqual(["release_published", "token_exchanged"]);
    const { stdout } = await person.run(["releases", "--project", ada.slug], {
      env: { SVC_API: service.api, SVC_TOKEN: (await ada.token()).credential },
    });
    expect(stdout).toContain("commit 4f2a9c0, from github ada/star-hopper by ada");
  });

  test("publishes again with a new identity, while a second use of the first one is refused", async () => {
    await trustGitHub();
    const jti = "the-same-identity-token";
    expect((await inGitHub({ jti })).code).toBe(0);
    const again = await inGitHub({ jti });
    expect({ code: again.code, error: again.result.error.code }).toEqual({ code: 4, error: "job_refused" });
    expect(again.result.error.message).toContain("was exchanged already");
    expect((await inGitHub()).code).toBe(0);
  });

  test("is used before SVC_TOKEN, which serves a job that nobody trusts", async () => {
    const { credential } = await ada.token();
    const refused = await inGitHub({}, { SVC_TOKEN: credential });
    expect({ code: refused.code, stderr: refused.stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/matches no trusted publisher of .* SVC_TOKEN is used instead\./),
    });
    await trustGitHub();
    expect((await inGitHub({}, { SVC_TOKEN: credential })).stderr).toContain("Publishing as this GitHub job");
  });
});

describe("a job that no publisher names", () => {
  const refusals: [string, Changes, string][] = [
    ["a fork", { repository_id: "99", repository_owner_id: "98", repository: "eve/star-hopper" }, "repository_id"],
    ["another repository", { repository_id: "99" }, "repository_id"],
    ["another branch", { ref: "refs/heads/other", ref_protected: "false" }, "ref_protected"],
    ["a schedule", { event_name: "schedule" }, "event_name"],
  ];

  test.each(refusals)("of %s is refused, and says why and which publisher would match", async (_, changes, claim) => {
    await trustGitHub();
    const { code, result, stderr, stdout } = await inGitHub(changes);
    expect({ code, error: result.error.code }).toEqual({ code: 4, error: "job_refused" });
    expect(result.error.message).toContain(`the claim ${claim} does not match`);
    const { repository_id: id = repository.id, repository_owner_id: owner = repository.ownerId } = changes;
    expect(result.error.next).toContain(`svc publishers add github --repository-id ${id} --owner-id ${owner}`);
    for (const printed of [stdout, stderr]) expect(printed).not.toContain(requestToken);
    expect((await ada.get(`/projects/${ada.slug}`)).body.current_release).toBeNull();
  });

  test("gets in once the owner has run the command that it printed", async () => {
    const { result } = await inGitHub({ environment: "production", ref_protected: "false" });
    const [, command = ""] = /: svc (publishers add .*)$/.exec(result.error.next) ?? [];
    const { credential } = await ada.token({ scopes: ["projects"] });
    const env = { SVC_API: service.api, SVC_TOKEN: credential };
    const added = await person.run(command.split(" "), { env });
    expect({ code: added.code, stderr: added.stderr }).toEqual({ code: 0, stderr: "" });
    expect(added.stdout).toContain("github ada/star-hopper");
    expect((await inGitHub({ environment: "production", ref_protected: "false" })).code).toBe(0);
    const listed = await person.run(["publishers", "list", "--project", ada.slug], { env });
    expect(listed.stdout).toContain("in the environment production");
  });

  test("by pull_request_target is refused, and no publisher is proposed", async () => {
    await trustGitHub();
    const { code, result } = await inGitHub({ event_name: "pull_request_target" });
    expect(code).toBe(4);
    expect(result.error.message).toContain("What strangers can start is never trusted.");
    expect(JSON.stringify(result)).not.toContain("publishers add");
  });

  test("without the permission for identities says how to get one", async () => {
    const { code, result } = await inGitHub({}, { ACTIONS_ID_TOKEN_REQUEST_TOKEN: "wrong" });
    expect({ code, kind: result.event ?? "error" }).toEqual({ code: 4, kind: "error" });
  });

  test("sends its request token to no server without https", async () => {
    const { code, result } = await inGitHub({}, { ACTIONS_ID_TOKEN_REQUEST_URL: "http://evil.example/" });
    expect({ code, error: result.error.code }).toEqual({ code: 4, error: "no_identity_token" });
  });
});

describe("a job of GitLab", () => {
  const idToken = (changes: Changes = {}) =>
    issuers.gitlab.idToken({
      claims: { aud: service.api, ...gitlabClaims(repository, issuers.gitlab.issuer, changes) },
    });
  const trustGitLab = () =>
    ada.post(publishers, {
      provider: "gitlab",
      issuer: issuers.gitlab.issuer,
      project_id: repository.id,
      namespace_id: repository.ownerId,
    });

  test("publishes with SVC_ID_TOKEN", async () => {
    await trustGitLab();
    const { code, stderr } = await publish({ GITLAB_CI: "true", SVC_ID_TOKEN: idToken() });
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining("Publishing as this GitLab job") });
  });

  test("is refused with a publisher that would match", async () => {
    const result = await publish({ GITLAB_CI: "true", SVC_ID_TOKEN: idToken() });
    expect(result.code).toBe(4);
    expect(publishResult(result).error.next).toContain(
      `svc publishers add gitlab --repository-id ${repository.id} --owner-id ${repository.ownerId} --file .gitlab-ci.yml`,
    );
  });
});
