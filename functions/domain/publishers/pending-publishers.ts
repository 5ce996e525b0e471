import { dayMilliseconds, limits } from "../../../contract/api/limits.ts";
import type { Account } from "../../entities/account.ts";
import type { JobIdentity, PendingPublisher, PendingPublishers, TrustedJobs } from "../../entities/publisher.ts";
import { readAccount } from "../../table/accounts/account-items.ts";
import { newId } from "../../table/ids.ts";
import { insertProject, readProject } from "../../table/projects/project-items.ts";
import { readPending, removePending, storePending } from "../../table/publishers/pending-publisher-items.ts";
import { assertMayCreate } from "../accounts/creations.ts";
import { type Actor, tokenOf } from "../authentication.ts";
import { authorizeAccount } from "../authorization.ts";
import { assertFewDeleted, assertRoomForProject, newProject } from "../projects/projects.ts";
import { teamFor } from "../projects/team-members.ts";
import { ServiceError } from "../service-error.ts";
import { isMatch, noMatch } from "./matching.ts";
import { assertKnownIssuer, isSame } from "./publishers.ts";

/** A publisher of a project that does not exist yet. */
interface PendingEntry {
  readonly slug: string;
  readonly pending: PendingPublisher;
}

/**
 * Trusts CI jobs to create a project by their first publication. It keeps the slug for nobody, and expires after 30 days. Another one
 * for the same project replaces it; a request that is sent again changes nothing, also not when it expires.
 *
 * @throws ServiceError `validation_failed`; `slug_taken`; `publisher_limit_reached` if the account has as many as one may
 */
export async function createPendingPublisher(
  account: Account,
  { slug, jobs }: { readonly slug: string; readonly jobs: TrustedJobs },
  now: Date,
): Promise<PendingEntry> {
  assertKnownIssuer(jobs, "/publisher/issuer");
  assertPublishes(jobs);
  const [project, pendingPublishers] = await Promise.all([readProject(slug), readPending(account.key)]);
  if (project !== undefined) throw new ServiceError("slug_taken");
  const all = unexpired(pendingPublishers, now);
  const existing = all.get(slug);
  if (existing && isSame(existing.publisher, jobs)) return { slug, pending: existing };
  if (existing === undefined && all.size >= limits.pendingPublishersPerAccount)
    throw new ServiceError("publisher_limit_reached", { detail: tooMany });
  const expiresAt = new Date(now.getTime() + limits.pendingPublisherDays * dayMilliseconds).toISOString();
  const publisher = { ...jobs, id: newId(now), createdAt: now.toISOString(), addedBy: account.key };
  const pending = { publisher, expiresAt };
  await storePending({ accountKey: account.key, slug, pendingPublishers, now }, pending);
  return { slug, pending };
}

/** A project begins with its first publication, which a preview is none of. @throws ServiceError `validation_failed` */
function assertPublishes({ may }: TrustedJobs): void {
  if (may === undefined) return;
  const detail = "must be publish: only jobs that may publish create a project";
  throw new ServiceError("validation_failed", { errors: [{ pointer: "/publisher/may", detail }] });
}

const tooMany = `An account has at most ${limits.pendingPublishersPerAccount} pending publishers. Remove one, or create the project: it may be empty.`;

/** Those that have not expired, by slug. A map, because a slug may be the word constructor. */
function unexpired(pendingPublishers: PendingPublishers | undefined, now: Date): Map<string, PendingPublisher> {
  const entries = Object.entries(pendingPublishers?.publishers ?? {});
  return new Map(entries.filter(([, { expiresAt }]) => expiresAt > now.toISOString()));
}

/** The pending publishers of an account, by slug. A narrowed token sees those of its projects. */
export async function listPendingPublishers(actor: Actor, now: Date): Promise<PendingEntry[]> {
  const all = await pendingPublishersOf(actor.account, now);
  const projects = tokenOf(actor)?.projects;
  return projects ? all.filter(({ slug }) => projects.includes(slug)) : all;
}

/** The pending publishers of an account, by slug. */
export async function pendingPublishersOf({ key }: Account, now: Date): Promise<PendingEntry[]> {
  const all = [...unexpired(await readPending(key), now)].map(([slug, pending]) => ({ slug, pending }));
  return all.toSorted((a, b) => (a.slug < b.slug ? -1 : 1));
}

/** @throws ServiceError `publisher_not_found` */
export async function deletePendingPublisher({ key }: Account, slug: string, now: Date): Promise<void> {
  const pendingPublishers = await readPending(key);
  if (!unexpired(pendingPublishers, now).has(slug)) throw new ServiceError("publisher_not_found");
  await removePending({ accountKey: key, slug, pendingPublishers, now });
}

/**
 * Creates the project that a job wants to publish, for the account that the job names, if a pending publisher of this account matches it.
 * Whoever else waits for the slug gets nothing: a slug and a repository's numbers are public, the job's words are its owner's.
 *
 * @returns false if the account does not wait for it
 * @throws ServiceError `invalid_request` if the job does not match, naming the claim; `invalid_target` if the slug is taken; those of
 *   {@link assertRoomForProject}, {@link assertMayCreate}, {@link assertFewDeleted} and {@link authorizeAccount}
 */
export async function createPendingProject(
  { slug, job, ownerKey }: { readonly slug: string; readonly job: JobIdentity; readonly ownerKey: string },
  now: Date,
): Promise<boolean> {
  const [pendingPublishers, owner] = await Promise.all([readPending(ownerKey), readAccount(ownerKey)]);
  const publisher = unexpired(pendingPublishers, now).get(slug)?.publisher;
  if (pendingPublishers === undefined || owner === undefined || publisher === undefined) return false;
  if (!isMatch(publisher, job)) throw noMatch({ slug, publishers: [publisher], kind: "pending" }, job);
  authorizeAccount({ role: "dev" }, owner);
  assertRoomForProject(owner);
  assertMayCreate(owner, now);
  const [{ team, members }] = await Promise.all([teamFor(ownerKey, now), assertFewDeleted(owner, now)]);
  const project = { ...newProject({ slug }, owner, now), ...members, publishers: [publisher] };
  const creation = { owner, token: undefined, idempotency: undefined, now, team, pending: pendingPublishers };
  if (await insertProject(project, creation))
    throw new ServiceError("invalid_target", { detail: `The slug ${slug} is not free.` });
  return true;
}
