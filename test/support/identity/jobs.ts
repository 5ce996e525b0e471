import { randomInt, randomUUID } from "node:crypto";
import type { Certificate } from "../network/certificate.ts";
import { startHttpServer } from "../network/http-server.ts";
import { type IdentityProvider, startIdentityProvider } from "./identity-provider.ts";

/** A repository with the numbers that its provider has given it. */
export interface Repository {
  readonly id: string;
  readonly ownerId: string;
  readonly name: string;
}

export function newRepository(name = "ada/star-hopper"): Repository {
  const number = () => String(randomInt(1, 2 ** 47));
  return { id: number(), ownerId: number(), name };
}

type Claims = Readonly<Record<string, unknown>>;

/** The claims that GitHub documents, of a job that a push to the protected branch main started. */
export function githubClaims({ id, ownerId, name }: Repository, changes: Claims = {}): Record<string, unknown> {
  const now = Math.floor(Date.now() / 1_000);
  const ref = String(changes["ref"] ?? "refs/heads/main");
  const workflow = `${name}/.github/workflows/publish.yml@${ref}`;
  return {
    jti: randomUUID(),
    sub: `repo:${name}:ref:${ref}`,
    iat: now,
    nbf: now - 300,
    exp: now + 300,
    ref,
    sha: "4f2a9c01d7e85b36a0c4418f9d2b7e6350aa1c88",
    repository: name,
    repository_owner: name.split("/")[0],
    repository_owner_id: ownerId,
    repository_id: id,
    repository_visibility: "private",
    run_id: "22259804324",
    run_number: "42",
    run_attempt: "1",
    actor: "ada",
    actor_id: "1001",
    workflow: "Publish",
    head_ref: "",
    base_ref: "",
    event_name: "push",
    ref_protected: "true",
    ref_type: "branch",
    workflow_ref: workflow,
    workflow_sha: "4f2a9c01d7e85b36a0c4418f9d2b7e6350aa1c88",
    job_workflow_ref: workflow,
    job_workflow_sha: "4f2a9c01d7e85b36a0c4418f9d2b7e6350aa1c88",
    runner_environment: "github-hosted",
    ...changes,
  };
}

/** The claims that GitLab documents, of a job of a pipeline that a push to the protected branch main started. */
export function gitlabClaims(
  { id, ownerId, name }: Repository,
  issuer: string,
  changes: Claims = {},
): Record<string, unknown> {
  const now = Math.floor(Date.now() / 1_000);
  return {
    jti: randomUUID(),
    sub: `project_path:${name}:ref_type:branch:ref:main`,
    iat: now,
    nbf: now - 5,
    exp: now + 3_600,
    namespace_id: ownerId,
    namespace_path: name.split("/")[0],
    project_id: id,
    project_path: name,
    user_id: "184239",
    user_login: "ada",
    user_email: "ada@example.com",
    user_access_level: "maintainer",
    pipeline_id: "1519139981",
    pipeline_source: "push",
    job_id: "8222997048",
    ref: "main",
    ref_type: "branch",
    ref_path: "refs/heads/main",
    ref_protected: "true",
    runner_id: 12_270_835,
    runner_environment: "gitlab-hosted",
    sha: "8fe1b322a576d59fe6257052a4107df7dc1b8c78",
    project_visibility: "private",
    ci_config_ref_uri: `${new URL(issuer).host}/${name}//.gitlab-ci.yml@refs/heads/main`,
    ci_config_sha: "8fe1b322a576d59fe6257052a4107df7dc1b8c78",
    ...changes,
  };
}

/** Issuers of the identity tokens of CI jobs, as a stage names its self-hosted ones. */
export interface JobIssuers {
  readonly github: IdentityProvider;
  readonly gitlab: IdentityProvider;
  /** The environment variable with which a service knows them. */
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

interface IssuerPlaces {
  /** Of GitHub's and of GitLab's. */
  readonly ports?: readonly number[];
  readonly certificate?: Certificate | undefined;
}

/** Starts them, at free ports without TLS unless they are told where. */
export async function startJobIssuers({ ports = [], certificate }: IssuerPlaces = {}): Promise<JobIssuers> {
  const start = (port?: number) => startIdentityProvider(undefined, certificate, port);
  const [github, gitlab] = await Promise.all([start(ports[0]), start(ports[1])]);
  return {
    github,
    gitlab,
    env: { JOB_ISSUERS: `github=${github.issuer},gitlab=${gitlab.issuer}` },
    stop: async () => {
      await Promise.all([github.stop(), gitlab.stop()]);
    },
  };
}

/** A job as GitHub's runner starts it, with the permission to ask for identity tokens. */
export interface GithubJob {
  readonly env: Readonly<Record<string, string>>;
  /** Secrets that must be in no output. */
  readonly secrets: string[];
  /** Audiences of the tokens that were requested. */
  readonly audiences: (string | null)[];
  stop(): Promise<void>;
}

/** Starts the endpoint that signs a job's identity for whatever audience it is asked for. */
export async function startGithubJob(
  issuer: IdentityProvider,
  repository: Repository,
  changes: Claims = {},
): Promise<GithubJob> {
  const requestToken = randomUUID();
  const secrets: string[] = [requestToken];
  const audiences: (string | null)[] = [];
  const { endpoint, stop } = await startHttpServer((request, response) => {
    if (request.headers.authorization !== `Bearer ${requestToken}`) return response.writeHead(401).end();
    const audience = new URL(request.url ?? "", "http://localhost").searchParams.get("audience");
    const value = issuer.idToken({ claims: { aud: audience, ...githubClaims(repository, changes) } });
    audiences.push(audience);
    secrets.push(value);
    return response.setHeader("content-type", "application/json").end(JSON.stringify({ count: 1, value }));
  });
  const env = {
    GITHUB_ACTIONS: "true",
    ACTIONS_ID_TOKEN_REQUEST_URL: `${endpoint}/idtoken?api-version=2.0`,
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: requestToken,
  };
  return { env, secrets, audiences, stop };
}

/** Those that the recorded service knows which test files of a worker share (environment.js). */
export async function shareJobIssuers(): Promise<JobIssuers> {
  return { ...(await sharedJobIssuers()), stop: async () => {} };
}

declare global {
  var sharedJobIssuers: () => Promise<JobIssuers>;
}

/** Form that a job posts to the token endpoint of an API, to publish a project. */
export function jobExchange(api: string, slug: string, subject_token: string): Record<string, string> {
  return {
    grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
    client_id: "svc-cli",
    subject_token,
    subject_token_type: "urn:ietf:params:oauth:token-type:id_token",
    resource: `${api}/projects/${slug}`,
  };
}

/** The publisher that the jobs of {@link githubClaims} match. */
export function githubPublisher({ id, ownerId }: Repository, issuer: string) {
  const file = { workflow: ".github/workflows/publish.yml" };
  return { provider: "github", issuer, repository_id: id, repository_owner_id: ownerId, ...file };
}
