import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { reinstateProject, suspendProject } from "../../../functions/domain/accounts/suspensions.ts";
import { accountKey, keys } from "../../../functions/table/keys.ts";
import { startIdentityProvider } from "../../support/identity/identity-provider.ts";
import {
  githubClaims,
  githubPublisher,
  gitlabClaims,
  jobExchange,
  newRepository,
  type Repository,
  startJobIssuers,
} from "../../support/identity/jobs.ts";
import { actorsOf } from "../../support/service/actors.ts";
import { overtakenBy } from "../../support/service/overtaken.ts";
import { startRecordedService } from "../../support/service/recorded-service.ts";
import { manifestOf, openRelease, publish } from "../../support/service/steps.ts";
import { duringTests, useFunctionEnvironment, useOwner } from "../../support/service/suite.ts";
import { itemsOf, setAttribute, storedItem } from "../../support/table/stored.ts";

/*
 * What a CI job gets for its identity token, and every job that gets nothing. The issuers are the tests' own and sign the claims that
 * GitHub and GitLab document.
 */
const issuers = duringTests(startJobIssuers);
const service = duringTests(() => startRecordedService({ env: issuers.env }));
useFunctionEnvironment(service);
const actors = actorsOf(service);
const ada = useOwner(service);
let repository: Repository;
let path: string;
beforeEach(() => {
  repository = newRepository();
  path = `/projects/${ada.slug}/publishers`;
});
afterEach(() => {
  for (const issuer of [issuers.github, issuers.gitlab]) issuer.respondWith(undefined);
});

type Changes = Readonly<Record<string, unknown>>;

async function trustGitHub(changes: object = {}): Promise<string> {
  const { status, body } = await ada.post(path, { ...githubPublisher(repository, issuers.github.issuer), ...changes });
  expect(status).toBe(200);
  return body.id;
}

async function trustGitLab(changes: object = {}): Promise<string> {
  const { status, body } = await ada.post(path, {
    provider: "gitlab",
    issuer: issuers.gitlab.issuer,
    project_id: repository.id,
    namespace_id: repository.ownerId,
    ...changes,
  });
  expect(status).toBe(200);
  return body.id;
}

const githubJob = (changes: Changes = {}) =>
  issuers.github.idToken({ claims: { aud: service.api, ...githubClaims(repository, changes) } });
const gitlabJob = (changes: Changes = {}) =>
  issuers.gitlab.idToken({ claims: { aud: service.api, ...gitlabClaims(repository, issuers.gitlab.issuer, changes) } });

function exchange(subject_token: string, fields: Readonly<Record<string, string>> = {}) {
  return actors.anonymous.send("POST", "/oauth/token", {
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ ...jobExchange(service.api, ada.slug, subject_token), ...fields }).toString(),
  });
}

async function tokenOf(job: string) {
  const { status, body } = await exchange(job);
  expect({ status, body }).toMatchObject({ status: 200 });
  return actors.bearer(body.access_token);
}

const releases = () => `/projects/${ada.slug}/releases`;

describe("the identity of a job that a publisher names", () => {
  test.each([
    ["GitHub", trustGitHub, githubJob],
    ["GitLab", trustGitLab, gitlabJob],
  ])("of %s gets a token of 15 minutes that publishes the project", async (_, trust, job) => {
    const publisherId = await trust();
    const { status, body, headers } = await exchange(job());
    expect({ status, cache: headers.get("cache-control") }).toEqual({ status: 200, cache: "no-store" });
    expect(body).toEqual({
      access_token: expect.stringMatching(/^pat_/),
      issued_token_type: "urn:ietf:params:oauth:token-type:access_token",
      token_type: "Bearer",
      expires_in: 900,
      scope: "publish",
    });
    const ci = actors.bearer(body.access_token);
    const release = await publish(ci, ada.slug, { "index.html": "<p>by CI" });
    expect((await ada.get(`/projects/${ada.slug}`)).body.current_release.id).toBe(release);
    const { events } = (await ada.get("/me/events")).body;
    expect(events).toContainEqual(
      expect.objectContaining({ type: "token_exchanged", project: ada.slug, publisher_id: publisherId }),
    );
  });

  test("is kept in the release: repository, commit, run, actor and workflow", async () => {
    await trustGitHub();
    await publish(await tokenOf(githubJob()), ada.slug, { "index.html": "<p>by CI" });
    const [release] = (await ada.get(releases())).body.releases;
    expect(release.provenance).toEqual({
      provider: "github",
      repository: "ada/star-hopper",
      repository_id: repository.id,
      commit: "4f2a9c01d7e85b36a0c4418f9d2b7e6350aa1c88",
      ref: "refs/heads/main",
      workflow: ".github/workflows/publish.yml",
      actor: "ada",
      run_url: `${issuers.github.issuer}/ada/star-hopper/actions/runs/22259804324`,
    });
  });

  test("of GitLab is kept too, without the address of who started it", async () => {
    await trustGitLab();
    await openRelease(await tokenOf(gitlabJob()), ada.slug, { "index.html": "<p>by CI" });
    const [release] = (await ada.get(releases())).body.releases;
    expect(release.provenance).toMatchObject({
      provider: "gitlab",
      repository: "ada/star-hopper",
      workflow: ".gitlab-ci.yml",
      actor: "ada",
      run_url: `${issuers.gitlab.issuer}/ada/star-hopper/-/jobs/8222997048`,
    });
    expect(JSON.stringify(await itemsOf(service, keys.project(ada.slug).PK))).not.toContain("ada@example.com");
  });

  test("takes two round trips, one after the other", async () => {
    await trustGitHub();
    await tokenOf(githubJob());
    const calls = await service.recorder.during(() => tokenOf(githubJob()));
    expect(calls.map(({ operation }) => operation)).toEqual(["BatchGetItem", "TransactWriteItems"]);
  });

  test("may use the environment in any case of GitHub's, and no other one", async () => {
    await trustGitHub({ environment: "Production" });
    expect((await exchange(githubJob({ environment: "production", ref_protected: "false" }))).status).toBe(200);
    expect((await exchange(githubJob({ environment: "staging" }))).body.error_description).toContain("environment");
  });

  test("is found among several publishers", async () => {
    await trustGitLab();
    await trustGitHub({ repository_id: "1" });
    await trustGitHub();
    expect((await exchange(githubJob())).status).toBe(200);
  });
});

describe("the token of a job", () => {
  test("acts on its project alone, and tells nothing of the account", async () => {
    await trustGitHub();
    const ci = await tokenOf(githubJob());
    const { body: other } = await ada.post("/projects", { slug: `${ada.slug.slice(0, 30)}-other` });
    expect(await ci.get(`/projects/${other.slug}/releases`)).toMatchObject({ body: { code: "project_not_in_token" } });
    for (const get of ["/me", "/projects"])
      expect(await ci.get(get)).toMatchObject({ status: 403, body: { code: "project_not_in_token" } });
    expect(await ci.post(path, {})).toMatchObject({ status: 403, body: { code: "insufficient_scope" } });
    expect(await ci.get(path)).toMatchObject({ status: 403, body: { code: "insufficient_scope" } });
    expect(await ci.delete(`/projects/${ada.slug}`)).toMatchObject({ status: 403, body: { code: "session_required" } });
  });

  test("is none of the account's 50, is not listed or replaced, warns of no expiry, and goes by TTL", async () => {
    await trustGitHub();
    const ci = await tokenOf(githubJob());
    const key = accountKey(service.issuer, ada.uid);
    expect(await storedItem(service, keys.account(key))).toMatchObject({ activeTokens: {} });
    expect((await ada.get("/tokens")).body.tokens).toEqual([]);
    const items = await itemsOf(service, keys.account(key).PK);
    const [stored] = items.filter(({ SK }) => String(SK).startsWith("TOKEN#"));
    expect(stored?.["ttl"]).toBe(Math.ceil(Date.parse(String(stored?.["expiresAt"])) / 1_000));
    expect((await ada.post(`/tokens/${stored?.["id"]}/replacement`)).status).toBe(404);
    const { headers } = await ci.get(releases());
    expect([...headers.keys()].filter((name) => name.includes("token-expires"))).toEqual([]);
    // Neither its first use nor a new network is an event or a mail: its exchange is one already.
    const types = (await ada.get("/me/events")).body.events.map(({ type }: { type: string }) => type);
    expect(types.filter((type: string) => type.startsWith("token_"))).toEqual(["token_exchanged"]);
  });

  test("ends with its job, which tells nobody", async () => {
    await trustGitHub();
    const ci = await tokenOf(githubJob());
    expect((await ci.delete("/tokens/current")).status).toBe(204);
    expect(await ci.get(releases())).toMatchObject({ status: 401, body: { code: "token_revoked" } });
    expect(JSON.stringify((await ada.get("/me/events")).body)).not.toContain("token_revoked");
  });

  const ends: [string, (publisher: string) => Promise<unknown>][] = [
    ["its publisher is removed", (publisher) => ada.delete(`${path}/${publisher}`)],
    [
      "its publisher is removed and added again",
      async (publisher) => {
        await ada.delete(`${path}/${publisher}`);
        await trustGitHub();
      },
    ],
    [
      "its project is deleted and restored",
      async () => {
        await ada.delete(`/projects/${ada.slug}`);
        expect((await ada.post(`/projects/${ada.slug}/restore`)).status).toBe(200);
      },
    ],
    [
      "its project is suspended and reinstated",
      async () => {
        await suspendProject(ada.slug, "malware", new Date());
        await reinstateProject(ada.slug, new Date());
      },
    ],
  ];

  test.each(ends)("is refused from the next request on when %s", async (_, end) => {
    const publisher = await trustGitHub();
    const ci = await tokenOf(githubJob());
    expect((await ci.get(releases())).status).toBe(200);
    await end(publisher);
    for (const response of [await ci.get(releases()), await ci.post(releases(), { files: manifestOf({ a: "b" }) })])
      expect(response).toMatchObject({ status: 401, body: { code: "token_revoked" } });
  });

  test("is refused when the project is handed over, also when it comes back", async () => {
    await trustGitHub();
    const ci = await tokenOf(githubJob());
    const grace = await actors.otherDeveloper();
    const [there, back] = [`/projects/${ada.slug}/transfer`, `/projects/${ada.slug}/transfer/acceptance`];
    await ada.post(there, { to: grace.uid });
    expect((await grace.post(back)).status).toBe(200);
    expect(await ci.get(releases())).toMatchObject({ status: 401 });
    await grace.post(there, { to: ada.uid });
    expect((await ada.post(back)).status).toBe(200);
    await trustGitHub();
    expect(await ci.get(releases())).toMatchObject({ status: 401, body: { code: "token_revoked" } });
  });

  const underWay: [string, (id: string) => readonly [string, object]][] = [
    ["opens a release", () => [releases(), { files: manifestOf({ "index.html": "another" }) }]],
    ["makes one live", (id) => [`${releases()}/${id}/publish`, {}]],
  ];

  test.each(underWay)("%s while its publisher is removed: nothing is written", async (_, request) => {
    const publisher = await trustGitHub();
    const ci = await tokenOf(githubJob());
    const { body } = await openRelease(ci, ada.slug, { "index.html": "1" });
    const [where, what] = request(body.release.id);
    const response = await overtakenBy(service)(
      () => ci.post(where, what),
      () => ada.delete(`${path}/${publisher}`),
    );
    expect(response).toMatchObject({ status: 401, body: { code: "token_revoked" } });
    expect((await ada.get(releases())).body.releases).toMatchObject([{ id: body.release.id, status: "open" }]);
  });

  test("finds an open release while its publisher is removed: it is not described by it", async () => {
    const publisher = await trustGitHub();
    const ci = await tokenOf(githubJob());
    const files = manifestOf({ "index.html": "1" });
    await ada.post(releases(), { files });
    const response = await overtakenBy(service)(
      () => ci.post(releases(), { files, message: "mine" }),
      () => ada.delete(`${path}/${publisher}`),
    );
    expect(response.status).toBe(401);
    expect((await ada.get(releases())).body.releases).toMatchObject([{ message: null, provenance: null }]);
  });

  test("gets no upload URL when its publisher was removed while the manifest was read", async () => {
    const publisher = await trustGitHub();
    const ci = await tokenOf(githubJob());
    const { body } = await ci.post(releases(), { files: manifestOf({ "index.html": "1" }) });
    let reads = 0;
    service.recorder.plan(({ operation }) => {
      reads += operation === "BatchGetItem" ? 1 : 0;
      return reads === 2 && operation === "BatchGetItem"
        ? { kind: "overtaken", by: ada.delete(`${path}/${publisher}`).then(() => undefined) }
        : undefined;
    });
    const response = await ci.post(`${releases()}/${body.release.id}/uploads`, { sha256: body.missing });
    service.recorder.plan(undefined);
    expect(response).toMatchObject({ status: 401, body: { code: "token_revoked" } });
  });
});

/** Jobs that are not the publisher's: what they change of its claims, and the claim that the refusal names. */
const githubAttacks: [string, Changes, string][] = [
  ["another repository that got the old name", { repository_id: "99" }, "repository_id"],
  ["the repository after its owner gave it away", { repository_owner_id: "99" }, "repository_owner_id"],
  [
    "a repository of an owner with a recycled name",
    { repository_id: "99", repository_owner_id: "98" },
    "repository_id",
  ],
  ["a fork's pull request by pull_request_target", { event_name: "pull_request_target" }, "event_name"],
  ["a fork's pull request by workflow_run", { event_name: "workflow_run" }, "event_name"],
  ["a comment by anybody", { event_name: "issue_comment" }, "event_name"],
  ["a pull request, which the publisher does not name", { event_name: "pull_request" }, "event_name"],
  [
    "another workflow of the same repository",
    {
      workflow_ref: "ada/star-hopper/.github/workflows/other.yml@refs/heads/main",
      job_workflow_ref: "ada/star-hopper/.github/workflows/other.yml@refs/heads/main",
    },
    "workflow_ref",
  ],
  [
    "a workflow whose name begins with that of the trusted one",
    {
      workflow_ref: "ada/star-hopper/.github/workflows/publish.yml@x.yml@refs/heads/main",
      job_workflow_ref: "ada/star-hopper/.github/workflows/publish.yml@x.yml@refs/heads/main",
    },
    "workflow_ref",
  ],
  [
    "a required workflow of another repository",
    { workflow_ref: "eve/star-hopper/.github/workflows/publish.yml@refs/heads/main" },
    "workflow_ref",
  ],
  [
    "a reusable workflow of another repository",
    { job_workflow_ref: "eve/star-hopper/.github/workflows/publish.yml@refs/heads/main" },
    "job_workflow_ref",
  ],
  [
    "the trusted file, called from another workflow",
    { workflow_ref: "ada/star-hopper/.github/workflows/other.yml@refs/heads/main" },
    "workflow_ref",
  ],
  ["another branch, which is not protected", { ref: "refs/heads/other", ref_protected: "false" }, "ref_protected"],
  ["a token without the claim of its event", { event_name: undefined }, "event_name"],
];

const gitlabAttacks: [string, Changes, string][] = [
  ["a fork's merge request", { project_id: "99", namespace_id: "98" }, "project_id"],
  ["a fork's merge request in the parent project", { pipeline_source: "merge_request_event" }, "pipeline_source"],
  ["the project after it moved to another group", { namespace_id: "98" }, "namespace_id"],
  [
    "a pipeline's file of another project",
    { ci_config_ref_uri: "127.0.0.1/eve/x//.gitlab-ci.yml@main" },
    "ci_config_ref_uri",
  ],
  ["no pipeline's file", { ci_config_ref_uri: null }, "ci_config_ref_uri"],
  ["another branch, which is not protected", { ref_protected: "false" }, "ref_protected"],
];

async function expectRefused(job: string, claim: string, error = "invalid_request"): Promise<void> {
  const key = accountKey(service.issuer, ada.uid);
  const before = await itemsOf(service, keys.account(key).PK);
  const { status, body } = await exchange(job);
  expect({ status, error: body.error }).toEqual({ status: 400, error });
  expect(body.error_description).toContain(claim);
  expect(await itemsOf(service, keys.account(key).PK)).toEqual(before);
}

describe("no token is given to", () => {
  test.each(githubAttacks)("%s", async (_, changes, claim) => {
    await trustGitHub();
    await expectRefused(githubJob(changes), ` ${claim} `);
  });

  test.each(gitlabAttacks)("%s of GitLab", async (_, changes, claim) => {
    await trustGitLab();
    await expectRefused(gitlabJob(changes), ` ${claim} `);
  });

  test("another environment, or none", async () => {
    await trustGitHub({ environment: "production" });
    await expectRefused(githubJob({ environment: "staging" }), " environment ");
    await expectRefused(githubJob(), " environment ");
  });

  test("a job whose token names the audience of another stage, several, or GitHub's default one", async () => {
    await trustGitHub();
    for (const aud of [
      "https://api.other.example",
      [service.api, "https://evil.example"],
      "https://github.com/ada",
      undefined,
    ])
      await expectRefused(githubJob({ aud }), "aud");
  });

  test("a second exchange of the same identity token, and to one of two that race", async () => {
    await trustGitHub();
    const job = githubJob();
    const racing = await Promise.all([exchange(job), exchange(job)]);
    expect(racing.map(({ status }) => status).toSorted()).toEqual([200, 400]);
    await expectRefused(job, "exchanged already");
  });

  test("an identity token without jti, exp or iat", async () => {
    await trustGitHub();
    for (const claim of ["jti", "exp", "iat"]) await expectRefused(githubJob({ [claim]: undefined }), `${claim}:`);
  });

  test("an issuer that looks alike, whatever keys it names", async () => {
    await trustGitHub();
    const evil = await startIdentityProvider();
    for (const iss of [
      evil.issuer,
      `${issuers.github.issuer}/`,
      issuers.github.issuer.replace("127.0.0.1", "localhost"),
    ]) {
      const claims = { aud: service.api, ...githubClaims(repository), iss };
      const header = { jku: evil.jwksUri, x5u: evil.jwksUri };
      await expectRefused(evil.idToken({ claims, header }), "iss:");
    }
    expect(evil.keyRequests).toBe(0);
    await evil.stop();
  });

  test("keys that are not the issuer's, and other algorithms", async () => {
    await trustGitHub();
    const evil = await startIdentityProvider();
    const claims = { aud: service.api, ...githubClaims(repository), iss: issuers.github.issuer };
    await expectRefused(evil.idToken({ claims }), "kid:");
    await expectRefused(issuers.github.confusedToken(claims), "alg:");
    await expectRefused(`${issuers.github.unsignedToken(claims)}x`, "alg:");
    await expectRefused("no token", "no JSON Web Token");
    await evil.stop();
  });

  test("the other provider's jobs, with the same claims", async () => {
    await trustGitHub();
    const claims = { aud: service.api, ...githubClaims(repository) };
    await expectRefused(issuers.gitlab.idToken({ claims }), "iss");
  });

  test("a person's ID token", async () => {
    await trustGitHub();
    await expectRefused(ada.credential, "iss:");
  });

  test("a project without publishers, and says how to add one", async () => {
    await expectRefused(githubJob(), "svc publishers add");
  });

  test("a project that does not exist, is deleted or suspended, or of another API", async () => {
    const wrong = (resource: string) => exchange(githubJob(), { resource });
    for (const resource of [
      `${service.api}/projects/no-such-game`,
      `https://evil.example/projects/${ada.slug}`,
      ada.slug,
    ])
      expect(await wrong(resource)).toMatchObject({ status: 400, body: { error: "invalid_target" } });
    const { body } = await wrong(`${service.api}/projects/no-such-game`);
    expect(body.error_description).toContain("POST /publishers");
    await trustGitHub();
    await suspendProject(ada.slug, "malware", new Date());
    await expectRefused(githubJob(), "suspended", "invalid_target");
    await reinstateProject(ada.slug, new Date());
    await ada.delete(`/projects/${ada.slug}`);
    await expectRefused(githubJob(), "deleted", "invalid_target");
  });

  test("a project of an account that is suspended", async () => {
    await trustGitHub();
    const key = keys.account(accountKey(service.issuer, ada.uid));
    await setAttribute(service, key, "suspension", { at: new Date().toISOString(), reason: "spam" });
    expect(await exchange(githubJob())).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
  });

  test("a publisher that is removed during the exchange", async () => {
    const publisher = await trustGitHub();
    const response = await overtakenBy(service)(
      () => exchange(githubJob()),
      () => ada.delete(`${path}/${publisher}`),
    );
    expect(response).toMatchObject({ status: 400, body: { error: "invalid_request" } });
  });

  test("a request without one of its parameters, or for more than publishing", async () => {
    await trustGitHub();
    for (const name of ["subject_token", "subject_token_type", "resource"])
      expect(await exchange(githubJob(), { [name]: "" })).toMatchObject({
        status: 400,
        body: { error: "invalid_request" },
      });
    expect(await exchange(githubJob(), { scope: "projects" })).toMatchObject({ body: { error: "invalid_scope" } });
  });
});

describe("clocks and issuers", () => {
  const now = () => Math.floor(Date.now() / 1_000);

  test("that differ by less than a minute are accepted, by more not", async () => {
    await trustGitHub();
    expect((await exchange(githubJob({ iat: now() + 50, nbf: now() + 50 }))).status).toBe(200);
    expect((await exchange(githubJob({ exp: now() - 50 }))).status).toBe(200);
    await expectRefused(githubJob({ iat: now() + 90 }), "iat:");
    await expectRefused(githubJob({ nbf: now() + 90 }), "nbf:");
    await expectRefused(githubJob({ exp: now() - 90 }), "exp:");
  });

  test("an issuer that changes its keys is asked again", async () => {
    await trustGitHub();
    await tokenOf(githubJob());
    issuers.github.rotate();
    // An unknown key that came a moment ago delays the next request for keys.
    await new Promise((resolve) => setTimeout(resolve, 5_100));
    expect((await exchange(githubJob())).status).toBe(200);
  });

  test("an issuer that is down is 503 and not the job's fault, and its kept keys go on", async () => {
    await trustGitHub();
    await tokenOf(githubJob());
    issuers.github.respondWith((response) => response.writeHead(500).end());
    expect((await exchange(githubJob())).status).toBe(200);
    const gone = await startIdentityProvider();
    await gone.stop();
    issuers.github.rotate();
    await new Promise((resolve) => setTimeout(resolve, 5_100));
    const { status, headers, body } = await exchange(githubJob());
    expect({ status, error: body.error, retry: headers.get("retry-after") }).toEqual({
      status: 503,
      error: "identity_provider_unavailable",
      retry: "5",
    });
  });
});

test("nothing of an identity token, refused or accepted, is in the service's output", async () => {
  await trustGitHub();
  const secret = "very-secret-branch";
  const jobs = [
    githubJob(),
    githubJob({ ref: `refs/heads/${secret}`, event_name: secret }),
    githubJob({ aud: secret }),
  ];
  for (const job of jobs) await exchange(job);
  const output = service.output();
  for (const job of jobs) expect(output).not.toContain(job.split(".")[1]);
  expect(output).not.toContain(secret);
  expect(output).toContain("no publisher: ");
});
