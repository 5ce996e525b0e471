import { limits } from "../../../contract/api/limits.ts";
import type { JobScope } from "../../../contract/api/projects/ci-jobs.ts";
import { ConflictError, retryOnConflict } from "../../conflict.ts";
import type { Account } from "../../entities/account.ts";
import type { Project } from "../../entities/project.ts";
import type { JobIdentity, TrustedPublisher } from "../../entities/publisher.ts";
import type { Token } from "../../entities/token.ts";
import * as environment from "../../environment.ts";
import { readAccount } from "../../table/accounts/account-items.ts";
import { accountKey, tokenIdOf } from "../../table/keys.ts";
import { readProject } from "../../table/projects/project-items.ts";
import { insertJobToken } from "../../table/publishers/job-tokens.ts";
import { readReleases } from "../../table/releases/release-items.ts";
import type { IssuedToken } from "../login/authorization-codes.ts";
import { ServiceError } from "../service-error.ts";
import { RawToken } from "../tokens/raw-token.ts";
import { matchingPublisher } from "./matching.ts";
import { createPendingProject } from "./pending-publishers.ts";
import { branchOf, isOfSameRepository, runOf } from "./runs.ts";

/** Exchange that a CI job asks for. */
export interface JobExchange {
  readonly job: JobIdentity;
  readonly slug: string;
  /** The account that must own the project, if the job names one. */
  readonly ownerUid: string | undefined;
  /** Undefined: whatever the project's publishers let the job do. */
  readonly scope: JobScope | undefined;
}

export interface IssuedJobToken extends IssuedToken {
  /** Whose project it is. */
  readonly owner: Account;
}

/**
 * Exchanges the identity of a CI job for a token of one project for 15 minutes, which publishes or only opens previews, as the
 * publisher says. It is none of the account's 50 tokens, and expires with its publisher. A project that does not exist is created, if a
 * pending publisher of the account that the job names matches. An identity token is exchanged once.
 *
 * @throws ServiceError `invalid_target` if the project does not exist, is another account's than the job says, or cannot be changed now, or
 *   if the job names no account and no release has come from its repository;
 *   `invalid_request` if no publisher matches, naming the claim, or the identity token was exchanged before; `account_suspended`;
 *   `invalid_scope` if the publishers that match let the job do less than it asks for
 */
export async function exchangeJobIdentity(
  { job, slug, ownerUid, scope }: JobExchange,
  now: Date,
): Promise<IssuedJobToken> {
  const ownerKey = ownerUid === undefined ? undefined : accountKey(environment.idpIssuer(), ownerUid);
  return await retryOnConflict(async () => {
    const existing = await readProject(slug);
    if (isAbsent(existing) && ownerKey !== undefined && (await createPendingProject({ slug, job, ownerKey }, now)))
      // The retry finds it.
      throw new ConflictError();
    const project = targetOf(existing, slug);
    if (ownerKey !== undefined && project.ownerKey !== ownerKey) throw otherOwner(slug);
    const publisher = matchingPublisher(project, job, scope);
    if (ownerKey === undefined) await assertPublishedBefore(slug, job);
    const owner = await readAccount(project.ownerKey);
    if (owner === undefined) throw new ConflictError();
    const rawToken = RawToken.generate(project.ownerKey);
    const token = newToken(project, publisher, { job, scope, rawToken, now });
    const refused = await insertJobToken({ project, token, job, now });
    if (refused === "spent") throw spentBefore();
    if (refused === "account") throw new ServiceError("account_suspended");
    return { token, rawToken, owner };
  });
}

function otherOwner(slug: string): ServiceError {
  const detail = `The project ${slug} is not of the account that this job names as its owner. Choose another slug, or correct the owner if the project was handed over.`;
  return new ServiceError("invalid_target", { detail });
}

/**
 * A job that names no owner would publish into the project of whoever has taken the slug and trusts its repository, whose numbers are public.
 * A release that came from the repository before shows that it is its own project.
 *
 * @throws ServiceError `invalid_target` if none of the latest releases did
 */
async function assertPublishedBefore(slug: string, job: JobIdentity): Promise<void> {
  const run = runOf(job);
  const { items } = await readReleases(slug, { limit: limits.pageSize, after: undefined });
  if (items.some(({ provenance }) => isOfSameRepository(provenance, run))) return;
  const detail = `This job names no owner, and no release of ${slug} has come from its repository yet: whoever took the slug would get the game. Name your account in the job, by the user ID that your dashboard shows: svc publish --owner UID, or the action's owner.`;
  throw new ServiceError("invalid_target", { reason: "no owner is named", detail });
}

/** A deleted project, of which nothing may be left, can be followed by another one. */
function isAbsent(project: Project | undefined): boolean {
  return project === undefined || (project.sweptAt !== undefined && project.suspension === undefined);
}

/** @throws ServiceError `invalid_target` */
function targetOf(project: Project | undefined, slug: string): Project {
  const refused = (detail: string) => new ServiceError("invalid_target", { detail });
  if (project === undefined) throw refused(`No project is called ${slug}. ${createIt}`);
  if (project.deletedAt !== undefined) throw refused(`The project ${slug} is deleted.`);
  if (project.suspension) throw refused(`The operator has suspended the project ${slug}.`);
  return project;
}

const createIt =
  "Create it; or add this job in the dashboard to those that may create it, and name your account in the job: svc publish --owner UID.";

function spentBefore(): ServiceError {
  const detail =
    "The job's identity token was exchanged already, and each is exchanged once. Request a new one from the CI provider.";
  return new ServiceError("invalid_request", { reason: "jti: exchanged before", detail, needs: "identity_token" });
}

interface Issuance {
  readonly job: JobIdentity;
  readonly scope: JobScope | undefined;
  readonly rawToken: RawToken;
  readonly now: Date;
}

function newToken(
  { slug, ownerKey, publisherEpoch = 0 }: Project,
  { id: publisherId, may }: TrustedPublisher,
  { job, scope = may ?? "publish", rawToken, now }: Issuance,
): Token {
  const run = runOf(job);
  return {
    id: tokenIdOf(rawToken.hash),
    accountKey: ownerKey,
    hash: rawToken.hash.toString("base64"),
    name: `CI of ${run.repository}`.slice(0, limits.nameLength),
    scopes: [scope],
    projects: [slug],
    hint: rawToken.hint,
    createdAt: now.toISOString(),
    expiresAt: new Date(now.getTime() + limits.jobTokenSeconds * 1_000).toISOString(),
    job: { publisherId, publisherEpoch, run, branch: branchOf(job) },
  };
}
