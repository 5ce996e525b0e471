import { afterEach, beforeEach, expect } from "@jest/globals";
import {
  githubClaims,
  githubPublisher,
  gitlabClaims,
  type JobIssuers,
  jobExchange,
  newRepository,
  type Repository,
  shareJobIssuers,
} from "../identity/jobs.ts";
import { type Actor, actorsOf } from "./actors.ts";
import type { CheckedResponse } from "./checked-request.ts";
import { perform } from "./operations.ts";
import type { TestService } from "./service.ts";
import { duringTests, useFunctionEnvironment, useOwner, useRecordedService } from "./suite.ts";

/** The issuers that the recorded service knows (test/support/environment.js). Each test finds them in order. */
export function useJobIssuers(): JobIssuers {
  const issuers = duringTests(shareJobIssuers);
  afterEach(() => {
    for (const issuer of [issuers.github, issuers.gitlab]) issuer.respondWith(undefined);
  });
  return issuers;
}

type Fields = Readonly<Record<string, string | undefined>>;

/** Sends a job's identity token, with other fields than usual. */
export function exchangeAt(service: TestService, slug: string, job: string, fields: Fields = {}) {
  const all = Object.entries({ ...jobExchange(service.api, slug, job), ...fields });
  const body = new URLSearchParams();
  for (const [name, value] of all) if (value !== undefined) body.set(name, value);
  return perform(actorsOf(service).anonymous, { method: "POST", path: "/oauth/token", body });
}

/** The claims of a job that differ from those of a job which its project trusts. */
type Changes = Readonly<Record<string, unknown>>;

/** A project and the jobs of its repository: new ones for each test, and a new owner unless the file has one. */
export function useJobs(newOwner = useOwner) {
  const service = useRecordedService();
  const issuers = useJobIssuers();
  useFunctionEnvironment(service);
  const actors = actorsOf(service);
  const ada = newOwner(service);
  let repository: Repository;
  beforeEach(() => {
    repository = newRepository();
  });

  async function trust(publisher: object): Promise<string> {
    const { status, body } = await ada.post(`/projects/${ada.slug}/publishers`, publisher);
    expect(status).toBe(200);
    return body.id;
  }

  /** The job names ada as the owner, unless another one or nobody is given. */
  const exchange = (job: string, fields?: Fields): Promise<CheckedResponse> =>
    exchangeAt(service, ada.slug, job, { owner: ada.uid, ...fields });

  /** Adds the publisher that the jobs of `githubJob` match, with these changes, and returns its id. */
  const trustGitHub = (changes: object = {}) =>
    trust({ ...githubPublisher(repository, issuers.github.issuer), ...changes });
  const githubJob = (changes: Changes = {}) =>
    issuers.github.idToken({ claims: { aud: service.api, ...githubClaims(repository, changes) } });

  /** A caller with the token that a job gets. */
  async function tokenOf(job: string): Promise<Actor & { readonly credential: string }> {
    const { status, body } = await exchange(job);
    expect({ status, body }).toMatchObject({ status: 200 });
    return { ...actors.bearer(body.access_token), credential: body.access_token };
  }

  return {
    ...{ service, issuers, actors, ada, exchange, trustGitHub, githubJob, tokenOf },
    repository: () => repository,
    path: (rest: string) => `/projects/${ada.slug}/${rest}`,
    trustGitLab: (changes: object = {}) => {
      const numbers = { project_id: repository.id, namespace_id: repository.ownerId };
      return trust({ provider: "gitlab", issuer: issuers.gitlab.issuer, ...numbers, ...changes });
    },
    gitlabJob: (changes: Changes = {}) =>
      issuers.gitlab.idToken({
        claims: { aud: service.api, ...gitlabClaims(repository, issuers.gitlab.issuer, changes) },
      }),
    /** A caller with the token of a job of GitHub, which the project trusts from now on. */
    trustedJob: async () => {
      await trustGitHub();
      return await tokenOf(githubJob());
    },
  };
}
