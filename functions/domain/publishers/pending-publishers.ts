import { dayMilliseconds, limits } from "../../../contract/api/limits.ts";
import type { Account } from "../../entities/account.ts";
import type { JobIdentity, PendingPublisher, TrustedJobs } from "../../entities/publisher.ts";
import { readAccount } from "../../table/accounts/account-items.ts";
import { newId } from "../../table/ids.ts";
import { insertProject, readProject } from "../../table/projects/project-items.ts";
import {
  readPending,
  readWaiting,
  readWaitingFor,
  removePending,
  storePending,
} from "../../table/publishers/pending-publisher-items.ts";
import { assertMayCreate } from "../accounts/creations.ts";
import { type Actor, tokenOf } from "../authentication.ts";
import { authorizeAccount } from "../authorization.ts";
import { assertRoomForProject, newProject } from "../projects/projects.ts";
import { ServiceError } from "../service-error.ts";
import { isMatch, noMatch } from "./matching.ts";
import { assertKnownIssuer, isSame } from "./publishers.ts";

/** A publisher of a project that does not exist yet. */
interface PendingEntry {
  readonly slug: string;
  readonly pending: PendingPublisher;
}

/**
 * Trusts CI jobs to create a project by their first publication. It keeps the slug for nobody, and ends after 30 days. Another one
 * for the same project takes its place; a request that is sent again changes nothing, nor when it ends.
 *
 * @throws ServiceError `validation_failed`; `slug_taken`; `publisher_limit_reached` if the account has as
 *   many as one may, or as many accounts wait for the slug
 */
export async function createPendingPublisher(
  account: Account,
  { slug, jobs }: { readonly slug: string; readonly jobs: TrustedJobs },
  now: Date,
): Promise<PendingEntry> {
  assertKnownIssuer(jobs, "/publisher/issuer");
  const [project, { own, waiting }] = await Promise.all([readProject(slug), readPending(account.key, slug)]);
  if (project !== undefined) throw new ServiceError("slug_taken");
  const all = unexpired(own?.publishers, now);
  const existing = all.get(slug);
  if (existing && isSame(existing.publisher, jobs)) return { slug, pending: existing };
  const accounts = unexpired(waiting?.accounts, now);
  const isFull = existing === undefined && all.size >= limits.pendingPublishersPerAccount;
  if (isFull || (!accounts.has(account.key) && accounts.size >= limits.accountsPerPendingSlug))
    throw new ServiceError("publisher_limit_reached", { detail: tooMany });
  const expiresAt = new Date(now.getTime() + limits.pendingPublisherDays * dayMilliseconds).toISOString();
  const publisher = { ...jobs, id: newId(now), createdAt: now.toISOString() };
  const pending = { publisher, expiresAt };
  await storePending({ accountKey: account.key, slug, own, waiting, pending, now });
  return { slug, pending };
}

const tooMany = `An account has at most ${limits.pendingPublishersPerAccount} pending publishers, and at most ${limits.accountsPerPendingSlug} accounts wait for one slug. Remove one, or create the project: it may be empty.`;

/** The entries that have not expired. A map, because a slug may be the word constructor. */
function unexpired<Entry extends string | { readonly expiresAt: string }>(
  entries: Readonly<Record<string, Entry>> | undefined,
  now: Date,
): Map<string, Entry> {
  const endOf = (entry: Entry) => (typeof entry === "string" ? entry : entry.expiresAt);
  return new Map(Object.entries(entries ?? {}).filter(([, entry]) => endOf(entry) > now.toISOString()));
}

/** The pending publishers of an account, by slug. A narrowed token sees those of its projects. */
export async function listPendingPublishers(actor: Actor, now: Date): Promise<PendingEntry[]> {
  const all = await pendingPublishersOf(actor.account, now);
  const projects = tokenOf(actor)?.projects;
  return projects ? all.filter(({ slug }) => projects.includes(slug)) : all;
}

/** The pending publishers of an account, by slug. */
export async function pendingPublishersOf({ key }: Account, now: Date): Promise<PendingEntry[]> {
  const { own } = await readPending(key, undefined);
  const all = [...unexpired(own?.publishers, now)].map(([slug, pending]) => ({ slug, pending }));
  return all.toSorted((a, b) => (a.slug < b.slug ? -1 : 1));
}

/** @throws ServiceError `publisher_not_found` */
export async function deletePendingPublisher({ key }: Account, slug: string, now: Date): Promise<void> {
  const { own } = await readPending(key, undefined);
  if (own === undefined || !unexpired(own.publishers, now).has(slug)) throw new ServiceError("publisher_not_found");
  await removePending({ accountKey: key, slug, own, now });
}

/**
 * Creates the project that a job wants to publish, for the one account whose pending publisher matches it.
 *
 * @returns false if no account waits for it
 * @throws ServiceError `invalid_request` if the job matches none, naming the claim; `invalid_target` if accounts that wait cannot
 *   be told apart, or the slug is taken; those of {@link assertRoomForProject}, {@link assertMayCreate} and {@link authorizeAccount}
 */
export async function createPendingProject(slug: string, job: JobIdentity, now: Date): Promise<boolean> {
  const waiting = unexpired((await readWaitingFor(slug))?.accounts, now);
  const all = await readWaiting([...waiting.keys()]);
  const found = all.flatMap(({ accountKey, own }) => {
    const pending = unexpired(own.publishers, now).get(slug);
    return pending ? [{ accountKey, own, publisher: pending.publisher }] : [];
  });
  if (found.length === 0) return false;
  const matching = found.filter(({ publisher }) => isMatch(publisher, job));
  if (matching.length === 0)
    throw noMatch({ slug, publishers: found.map(({ publisher }) => publisher), kind: "pending" }, job);
  const [only, another] = matching;
  if (only === undefined || another !== undefined) throw new ServiceError("invalid_target", { detail: ambiguous });
  const owner = await readAccount(only.accountKey);
  if (owner === undefined) return false;
  authorizeAccount({ role: "dev" }, owner);
  assertRoomForProject(owner);
  assertMayCreate(owner, now);
  const project = { ...newProject({ slug }, owner, now), publishers: [only.publisher] };
  const creation = { owner, token: undefined, idempotency: undefined, now, pending: only.own };
  if (await insertProject(project, creation))
    throw new ServiceError("invalid_target", { detail: `The slug ${slug} is not free.` });
  return true;
}

const ambiguous =
  "Several accounts wait for this project with the same jobs. Its owner creates it and adds a publisher.";
