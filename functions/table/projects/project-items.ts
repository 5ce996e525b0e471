import { isDeepStrictEqual } from "node:util";
import { dayMilliseconds, limits } from "../../../contract/api/limits.ts";
import { ConflictError } from "../../conflict.ts";
import type { Account } from "../../entities/account.ts";
import type { Idempotency } from "../../entities/idempotent-creation.ts";
import type { Project, ProjectChanges, Team } from "../../entities/project.ts";
import type { PendingPublishers } from "../../entities/publisher.ts";
import type { Token } from "../../entities/token.ts";
import { countCreation } from "../accounts/creation-counts.ts";
import { asRead, type Condition, unchangedAttributes } from "../expressions.ts";
import { idempotencyWrite } from "../idempotency-items.ts";
import { keys, ranges } from "../keys.ts";
import { withoutPending } from "../publishers/pending-publisher-items.ts";
import { readItems, readRange, readWhole, type Slice } from "../read.ts";
import { activeTokenCheck } from "../tokens/token-items.ts";
import { change, check, put, putNew, transact, tryTransact, type Write } from "../transaction.ts";
import { type ProjectChange, projectEventWrites } from "./history.ts";
import { pointerWrites } from "./pointer-items.ts";
import { joiningWrites } from "./team-items.ts";

/**
 * Stores a project with the owner's team, its ownership, its place in the owner's count and its event, all or nothing. Slugs are unique and the
 * limit of projects is exact, also when calls race.
 *
 * @param token the token by which it is created
 * @returns undefined if it is stored; otherwise the project that has the slug, or had it and still keeps it from others
 */
export async function insertProject(project: Project, creation: Creation): Promise<Project | undefined> {
  const occupant = await tryInserting(project, creation, { condition: "attribute_not_exists(PK)" });
  if (occupant === undefined) return undefined;
  const isFree = freeSlugCondition(project.ownerKey, creation.now);
  return await tryInserting(withOrigin(project, occupant), creation, isFree);
}

interface Creation {
  /** As it was read. */
  readonly owner: Account;
  readonly token: Token | undefined;
  readonly idempotency: Idempotency | undefined;
  readonly now: Date;
  /** The owner's team as it was read; its members are those of the project. */
  readonly team: Team | undefined;
  /** The owner's pending publishers as they were read, if the project is created by one of them. */
  readonly pending?: PendingPublishers;
}

/** Notes that the slug had another owner, if it had one. */
function withOrigin(project: Project, occupant: Project): Project {
  const ownedSince = occupant.ownerKey === project.ownerKey ? occupant.ownedSince : project.createdAt;
  return { ...project, ...(ownedSince !== undefined && { ownedSince }) };
}

async function tryInserting(
  project: Project,
  { owner, token, idempotency, now, team, pending }: Creation,
  condition: Condition,
): Promise<Project | undefined> {
  const { ownerKey, slug, createdAt } = project;
  const failed = await tryTransact({
    idempotency: idempotencyWrite(idempotency, slug, now),
    token: activeTokenCheck(token, now),
    account: countMore(ownerKey, countCreation(owner, now)),
    project: put(keys.project(slug), project, condition),
    ownership: putNew(keys.ownership(ownerKey, slug), { slug, createdAt }),
    pending: pending && withoutPending(ownerKey, slug, pending),
    ...joiningWrites(project, team, now),
    event: projectEventWrites(project, { by: ownerKey, token, now }, { type: "project_created" }),
  });
  if (failed?.name === "project" && failed.item) return failed.item;
  if (failed) throw new ConflictError();
  return undefined;
}

/**
 * The condition that a slug is free: no project has it, or nothing is left of the project that had it. The slug of a
 * deleted project is free for its owner at first, and for everybody after 30 days; the slug of a suspended project
 * never is.
 */
function freeSlugCondition(ownerKey: string, now: Date): Condition {
  const deletedBefore = new Date(now.getTime() - limits.deletedSlugDays * dayMilliseconds).toISOString();
  const isOver = "attribute_exists(sweptAt) AND attribute_not_exists(suspension)";
  return {
    condition: `attribute_not_exists(PK) OR (${isOver} AND (ownerKey = :owner OR deletedAt < :deletedBefore))`,
    values: { ":owner": ownerKey, ":deletedBefore": deletedBefore },
  };
}

/**
 * Counts one project more for an account, if it is a developer's, is not suspended and has room.
 *
 * @param creation that of a new project, which counts for the day too
 */
export function countMore(accountKey: string, creation?: ReturnType<typeof countCreation>): Write<Account> {
  const set = creation ? `SET ${creation.set} ` : "";
  const usable = {
    condition: "#role = :dev AND projectCount < :limit AND attribute_not_exists(suspension)",
    values: { ":one": 1, ":dev": "dev", ":limit": limits.projectsPerAccount },
  };
  return change(keys.account(accountKey), `${set}ADD projectCount :one`, usable, creation);
}

/** Counts one project less for an account. */
export function countLess(accountKey: string): Write<Account> {
  return change(keys.account(accountKey), "ADD projectCount :less", {
    condition: "projectCount > :none",
    values: { ":less": -1, ":none": 0 },
  });
}

/** The project with this slug, whoever owns it. */
export async function readProject(slug: string): Promise<Project | undefined> {
  const [project] = await readItems([keys.project(slug)]);
  return project;
}

/** The projects with these slugs, at most 100, whoever owns them. */
export async function readProjects(slugs: readonly string[]): Promise<(Project | undefined)[]> {
  return await readItems(slugs.map(keys.project));
}

/** Changes of an owner, with what follows from them. */
type StoredChanges = ProjectChanges & Partial<Pick<Project, "currentRelease" | "decided">>;

/** Changes attributes of a project that are as they were read, provided that it has the people that it had. */
export async function changeProject(project: Project, changes: StoredChanges, made: ProjectChange): Promise<Project> {
  const attributes = { ...changes, updatedAt: made.now.toISOString() };
  const read = unchangedAttributes(project, changes);
  await transact({
    token: activeTokenCheck(made.token, made.now),
    project: change(keys.project(project.slug), attributes, openCondition(project), read),
    pointers: isKnownAtEdge(project, changes) ? pointerWrites([project.slug], made.now) : [],
    event: editEvents(project, changes).flatMap((type) => projectEventWrites(project, made, { type })),
  });
  // A transaction does not return the changed item, and a read that fails now would report a change that happened as failed.
  const changed = Object.entries(attributes).filter(([, value]) => value !== undefined);
  return { ...project, ...Object.fromEntries(changed) };
}

/** Whether the games' edge knows what changes: what the project does without, or its name if it was taken offline or its traffic is used up. */
export function isKnownAtEdge(
  { currentRelease, offlineEpoch = 0, trafficLimit }: Project,
  { name, switchedOff }: ProjectChanges,
): boolean {
  if (switchedOff !== undefined) return true;
  if (name === undefined) return false;
  return trafficLimit !== undefined || (currentRelease === undefined && offlineEpoch > 0);
}

/** That a person makes live, or no longer, is an event of its own, of which everybody of the project is told. */
function editEvents(project: Project, { personMakesLive = project.personMakesLive, ...others }: ProjectChanges) {
  const isChanged = (personMakesLive ?? false) !== (project.personMakesLive ?? false);
  return [
    ...(isChanged ? [personMakesLive ? ("person_required" as const) : ("person_no_longer_required" as const)] : []),
    ...(!isChanged || !isUnchanged(project, others) ? ["project_edited" as const] : []),
  ];
}

/** Whether a project has these values already. */
export function isUnchanged(project: StoredChanges, changes: StoredChanges): boolean {
  return (Object.keys(changes) as (keyof StoredChanges)[]).every(
    (name) => changes[name] === undefined || isDeepStrictEqual(changes[name], project[name]),
  );
}

/** Slugs of the projects that an account owns, or may be a member of, in their order. */
export async function readProjectSlugs(accountKey: string, slice: Slice) {
  const { items, last } = await readRange(ranges.ownerships(accountKey), slice);
  return { items: items.map(({ slug }) => slug), last };
}

/** All slugs that an account owns, in their order. */
export async function readOwnedSlugs(ownerKey: string): Promise<string[]> {
  const all = await readWhole(ranges.ownerships(ownerKey));
  return all.filter(({ isMember }) => !isMember).map(({ slug }) => slug);
}

/** Slugs of the projects that an account has deleted, in their order. */
export async function readDeletedSlugs(ownerKey: string, slice: Slice) {
  const { items, last } = await readRange(ranges.deletedProjects(ownerKey), slice);
  return { items: items.map(({ slug }) => slug), last };
}

/** All slugs of the projects that an account has deleted, in their order. */
export async function readAllDeletedSlugs(ownerKey: string): Promise<string[]> {
  return (await readWhole(ranges.deletedProjects(ownerKey))).map(({ slug }) => slug);
}

/** Number of slugs of deleted projects that an account keeps from others; counted up to the limit. */
export async function countDeletedSlugs(ownerKey: string, now: Date): Promise<number> {
  const { items } = await readRange(ranges.deletedProjects(ownerKey), { limit: limits.deletedSlugsPerAccount });
  return items.filter(({ ttl }) => ttl * 1_000 > now.getTime()).length;
}

function openAttributes({ ownerKey, members, refuseTokens, refusedTokens, personMakesLive }: Project) {
  return {
    ownerKey,
    members,
    refuseTokens,
    refusedTokens,
    personMakesLive,
    deletedAt: undefined,
    suspension: undefined,
  };
}

/**
 * The condition that a project has the people that it had when it was read, of whom the caller was one with the role that the
 * route requires, and can be changed: it is neither deleted nor suspended, takes and refuses the tokens that it did, and a person makes live in it or not as before.
 */
export function openCondition(project: Project) {
  return asRead(openAttributes(project));
}

function trustedAttributes(project: Project) {
  const { publishers, publisherEpoch } = project;
  return { ...openAttributes(project), publishers, publisherEpoch };
}

/** Condition as {@link openCondition}, and that no publisher came or went, and no tokens of them were revoked together, since it was read. */
export function trustedCondition(project: Project) {
  return asRead(trustedAttributes(project));
}

/** The same as a check of its own, if a token makes a change that writes nothing of the project. */
export function trustCheck(project: Project, token: Token | undefined): Write<Project> | undefined {
  return token && check(keys.project(project.slug), token.job ? trustedCondition(project) : openCondition(project));
}

/**
 * As {@link trustedCondition}, and that the project's pointer is as it was read: the live release, and those before it that
 * visits may continue with. The id alone would not tell that one was withdrawn, or that a roll-back came and went. The same
 * for its previews, its schedule, and the last number of a release.
 */
export function unchangedCondition(project: Project) {
  const { previews, currentRelease, schedule, numbered } = project;
  return asRead({ ...trustedAttributes(project), previews, currentRelease, schedule, numbered });
}
