import { isDeepStrictEqual } from "node:util";
import { limits } from "../../../contract/api/limits.ts";
import type { Account } from "../../entities/account.ts";
import type { Amount, Invitation, Member, Project } from "../../entities/project.ts";
import type { TrustedPublisher } from "../../entities/publisher.ts";
import { personCheck } from "../accounts/account-items.ts";
import { eventWrites } from "../accounts/events.ts";
import { ttlAfter } from "../attributes.ts";
import { asRead } from "../expressions.ts";
import { newId } from "../ids.ts";
import { keys, ranges } from "../keys.ts";
import { noticeWrite } from "../outbox.ts";
import { readRange, type Slice } from "../read.ts";
import { activeTokenCheck } from "../tokens/token-items.ts";
import { change, put, remove, transact, type Writes } from "../transaction.ts";
import { type ProjectChange, projectEventWrites, quietEventWrites } from "./history.ts";
import { countInAccount, countOutOfAccount } from "./ledger.ts";
import { pointerWrites } from "./pointer-items.ts";
import { previewKeys } from "./preview-items.ts";
import { countLess, countMore, openCondition } from "./project-items.ts";
import { joinTeam, type TeamJoining } from "./team-items.ts";

/*
 * Members and invitations stand in the project's item, which the read that finds a caller reads too
 * (docs/decisions/0070-people-of-a-project.md).
 */

/** The people of a project beside its owner. */
export interface People {
  readonly members: Readonly<Record<string, Member>>;
  readonly invitations: Readonly<Record<string, Invitation>>;
}

/**
 * Stores the people of a project, provided that they are as they were read, with what the accounts' own lists say of them. The end of
 * a role or an invitation needs no open project: people leave a suspended one. A removal says which publishers the member added, so that they are as they were read.
 *
 * @param removed those of them that are removed too
 * @param isQuiet whether nobody is told, because another project's notice tells it
 */
export async function storePeople(
  project: Project,
  { members, invitations }: People,
  made: ProjectChange,
  event: Parameters<typeof projectEventWrites>[2],
  {
    removed = [],
    isQuiet = false,
  }: { readonly removed?: readonly TrustedPublisher[]; readonly isQuiet?: boolean } = {},
): Promise<void> {
  const { slug, ownerKey, publishers, personMakesLive } = project;
  const open =
    event.type === "member_removed" || event.type === "invitation_deleted"
      ? { publishers }
      : { personMakesLive, deletedAt: undefined, suspension: undefined };
  const left = publishers?.filter((publisher) => !removed.includes(publisher));
  const read = asRead({ ownerKey, members: project.members, invitations: project.invitations, ...open });
  await transact({
    token: activeTokenCheck(made.token, made.now),
    project: change(keys.project(slug), { members, invitations, publishers: left }, read),
    left: Object.keys(project.members ?? {})
      .filter((key) => members[key] === undefined)
      .map((key) => remove(keys.ownership(key, slug))),
    received: receivedWrites(project, invitations, made.now),
    event: (isQuiet ? quietEventWrites : projectEventWrites)(project, made, event),
    removed: removed.flatMap(({ id }) =>
      projectEventWrites(project, made, { type: "publisher_removed", publisherId: id }),
    ),
  });
}

/** Changes in the lists of those who are invited by their uids, with a notice to everybody who is invited now. */
function receivedWrites({ slug, invitations: before = {} }: Project, next: People["invitations"], now: Date): Writes {
  const toOf = (all: People["invitations"]) =>
    new Map(Object.values(all).flatMap((each) => (each.to ? [[each.to.key, each] as const] : [])));
  const [old, left] = [toOf(before), toOf(next)];
  const gone = [...old.keys()].filter((key) => !left.has(key)).map((key) => remove(keys.invitation(key, slug)));
  const added = [...left].filter(([key, each]) => !isDeepStrictEqual(old.get(key), each));
  return [
    ...gone,
    ...added.flatMap(([accountKey, { expiresAt }]) => [
      put(keys.invitation(accountKey, slug), { slug, ttl: ttlAfter(now, limits.invitationDays) }),
      noticeWrite({
        id: newId(now),
        type: "invitation_received",
        at: now.toISOString(),
        accountKey,
        project: slug,
        expiresAt,
      }),
    ]),
  ];
}

/** The projects to which an account is, or was lately, invited by its uid, in the order of their slugs. */
export async function readReceivedInvitations(accountKey: string, slice: Slice) {
  return await readRange(ranges.invitations(accountKey), slice);
}

/** An invitation, as it was read, and who accepts it. */
export interface Acceptance {
  readonly id: string;
  readonly invitation: Invitation;
  readonly toKey: string;
}

/**
 * Makes an account a member by an invitation that is as it was read. Others who accept theirs at the same time do not matter, because
 * each invitation has a place.
 */
export async function insertMember(
  project: Project,
  { id, invitation, toKey }: Acceptance,
  member: Member,
  made: ProjectChange,
): Promise<void> {
  const { slug, ownerKey, personMakesLive } = project;
  const open = asRead({ ownerKey, personMakesLive, deletedAt: undefined, suspension: undefined });
  await transact({
    project: change(keys.project(slug), "SET members.#member = :member REMOVE invitations.#invitation", open, {
      condition: "attribute_not_exists(members.#member) AND invitations.#invitation = :read",
      names: { "#member": toKey, "#invitation": id },
      values: { ":member": member, ":read": invitation },
    }),
    account: personCheck(member.role, toKey),
    ownership: put(keys.ownership(toKey, slug), { slug, createdAt: member.since, isMember: true }),
    received: invitation.to && remove(keys.invitation(toKey, slug)),
    event: projectEventWrites(project, made, { type: "member_added", memberKey: toKey, role: member.role }),
  });
}

/**
 * Makes an account a member of another project than the one whose invitation it accepts, once: the invitation says that it has joined.
 * It had no place there, so the project's people must be as they were read.
 */
export async function insertByOther(
  project: Project,
  { slug: invitingSlug, id, invitation, toKey }: Acceptance & { readonly slug: string },
  member: Member,
  made: ProjectChange,
): Promise<void> {
  const { slug, ownerKey, personMakesLive, members, invitations } = project;
  const read = { ownerKey, personMakesLive, members, invitations, deletedAt: undefined, suspension: undefined };
  await transact({
    project: change(keys.project(slug), { members: { ...members, [toKey]: member } }, asRead(read)),
    invitation: change(
      keys.project(invitingSlug),
      "SET invitations.#invitation.#more.#slug = :joined",
      asAccepted(id, invitation),
      { names: { "#slug": slug }, values: { ":joined": "joined" } },
    ),
    account: personCheck(member.role, toKey),
    ownership: put(keys.ownership(toKey, slug), { slug, createdAt: member.since, isMember: true }),
    event: quietEventWrites(project, made, { type: "member_added", memberKey: toKey, role: member.role }),
  });
}

/** The condition that an invitation is as it was read: neither withdrawn, nor taken by somebody else. */
function asAccepted(id: string, invitation: Invitation) {
  return {
    condition: "invitations.#invitation = :read",
    names: { "#invitation": id },
    values: { ":read": invitation },
  };
}

/** An invitation that somebody begins to accept, and what it is then. */
interface Taking {
  readonly project: Project;
  readonly acceptance: Acceptance;
  readonly taken: Invitation;
  readonly account: Account;
  readonly role: Member["role"];
  /** Set if the account joins the team of who invites. */
  readonly team: TeamJoining | undefined;
}

/**
 * Stores that an account alone accepts an invitation from now on, and, if it is to projects to come too, that it joins the owner's team:
 * provided that the owner has created no project since the invitation's projects were read.
 */
export async function takeInvitation(
  { project, acceptance, taken, account, role, team }: Taking,
  now: Date,
): Promise<void> {
  const { slug, ownerKey, personMakesLive } = project;
  const { id, invitation } = acceptance;
  const open = asRead({ ownerKey, personMakesLive, deletedAt: undefined, suspension: undefined });
  await transact({
    invitation: change(keys.project(slug), "SET invitations.#invitation = :taken", open, asAccepted(id, invitation), {
      values: { ":taken": taken },
    }),
    account: personCheck(role, account.key),
    ...(team && joinTeam(team, account.key, slug, now)),
  });
}

/**
 * Gives a project to another account: owner, both counts, both ledgers, both lists and both histories, all or nothing. Nothing
 * happens if the project or its invitations are not as they were read. Its other members stay; what the previous owner has had there does not.
 */
export async function handOver(
  project: Project,
  { toKey, used }: { readonly toKey: string; readonly used: Amount },
  now: Date,
): Promise<Project> {
  const {
    slug,
    ownerKey,
    createdAt,
    usedBytes,
    usedObjects,
    draftBytes,
    draftObjects,
    previews,
    members = {},
  } = project;
  const counted = { usedBytes, usedObjects, draftBytes, draftObjects };
  const same = asRead({ ...counted, previews, invitations: project.invitations });
  // The next sweep counts what is a draft for the new owner.
  const drafts = draftBytes === undefined ? undefined : { bytes: draftBytes, objects: draftObjects ?? 0 };
  const isCounted = used.objects > 0;
  const { [toKey]: _, ...left } = members;
  await transact({
    project: change(
      keys.project(slug),
      "SET ownerKey = :to, ownedSince = :now, members = :left REMOVE invitations, publishers, webhooks, previews, showProvenance, draftBytes, draftObjects ADD publisherEpoch :one",
      openCondition(project),
      same,
      { values: { ":to": toKey, ":left": left, ":now": now.toISOString(), ":one": 1 } },
    ),
    received: receivedWrites(project, {}, now),
    account: countMore(toKey),
    ledger: isCounted ? countInAccount(toKey, used) : undefined,
    before: countLess(ownerKey),
    ledgerBefore: isCounted ? countOutOfAccount(ownerKey, { ...used, drafts }) : undefined,
    ownershipBefore: remove(keys.ownership(ownerKey, slug)),
    ownership: put(keys.ownership(toKey, slug), { slug, createdAt }),
    handedOver: eventWrites(ownerKey, now, { type: "project_handed_over", project: slug }),
    receipt: projectEventWrites(
      project,
      { by: toKey, token: undefined, now },
      { type: "project_received", memberKey: toKey, role: "owner" },
    ),
    pointer: pointerWrites([slug], now, previewKeys(project)),
  });
  const {
    invitations: __,
    publishers: ___,
    previews: ____,
    showProvenance: _____,
    webhooks: ______,
    ...rest
  } = project;
  return { ...rest, ownerKey: toKey, ownedSince: now.toISOString(), members: left };
}
