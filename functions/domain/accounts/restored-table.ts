import type { Account, Suspension } from "../../entities/account.ts";
import type { Project } from "../../entities/project.ts";
import { firstId } from "../../table/ids.ts";
import { keys, ranges } from "../../table/keys.ts";
import { removeCurrentRelease } from "../../table/projects/deletion-items.ts";
import type { ProjectChange } from "../../table/projects/history.ts";
import { storePeople } from "../../table/projects/member-items.ts";
import { readProject } from "../../table/projects/project-items.ts";
import { readTeam, removeTeamMember } from "../../table/projects/team-items.ts";
import { storeWithout } from "../../table/publishers/publisher-items.ts";
import { readRelease } from "../../table/releases/release-items.ts";
import { endSchedule } from "../../table/releases/schedule-items.ts";
import { itemsLike } from "../../table/scan.ts";
import { readActiveTokens } from "../../table/tokens/token-items.ts";
import { deletePendingPublisher, pendingPublishersOf } from "../publishers/pending-publishers.ts";
import { withdrawRelease } from "../releases/withdrawal.ts";
import { revokeToken, tokenStatus } from "../tokens/tokens.ts";
import { suspendAccount, suspendProject, takeDownProject } from "./suspensions.ts";

/*
 * A restored table says what was true at its recovery point: a token that was revoked later is active in it, a publisher that was removed
 * later is trusted, a game that was taken down later plays. What this does comes before any request reads the table.
 */

/** Results: the changes that were made, and those that only the owners or the operator can make again. */
export interface RevokedCredentials {
  readonly tokens: number;
  readonly publishers: number;
  readonly members: number;
  /** By slug and id. */
  readonly withdrawn: readonly string[];
  /** Accounts by key and projects by slug. */
  readonly suspended: readonly string[];
  readonly deletedSince: readonly string[];
  readonly handedOverSince: readonly string[];
}

interface RestoredTable {
  /** When the restore began: what was created later stays, so that this can be done again when people use the table. */
  readonly restoredAt: string;
  /** The table in use until then; undefined if nothing is left of it. */
  readonly inUse: string | undefined;
}

/**
 * Revokes every token and removes every publisher of a restored table. Those that the table in use until then still has as they are
 * stay, and what is suspended or withdrawn there is so again.
 */
export async function revokeCredentials({ restoredAt, inUse }: RestoredTable, now: Date): Promise<RevokedCredentials> {
  const later = { ...(await laterState(inUse)), restoredAt };
  const made = { by: undefined, token: undefined, now };
  const done = { tokens: 0, publishers: 0, members: 0, suspended: [] as string[], deletedSince: [] as string[] };
  const handedOverSince: string[] = [];
  // Before what it is of is suspended.
  const withdrawn = inUse === undefined ? [] : await withdrawAgain(inUse, now);
  for await (const account of itemsLike(keys.account(""))) {
    const { key } = account;
    done.tokens += await revokeTokens(account, later, now);
    done.publishers += await removePending(account, later, now);
    done.members += await removeFromRestoredTeam(key, later, now);
    const { suspension } = later.accounts.get(key) ?? {};
    if (inUse !== undefined && account.createdAt < restoredAt && !later.accounts.has(key)) done.deletedSince.push(key);
    if (suspension && !account.suspension) {
      await suspendAccount(key, suspension.reason, now);
      done.suspended.push(key);
    }
  }
  for await (const project of itemsLike(keys.project(""))) {
    const { slug, publishers = [] } = project;
    const removed = publishers.filter((publisher) => isEnded(publisher, later));
    if (removed.length > 0) await storeWithout(project, removed, made);
    done.publishers += removed.length;
    done.members += await removePeople(project.slug, later, made);
    await endRestoredSchedule(slug, later, now);
    const { suspension, deletedAt, ownerKey } = later.projects.get(slug) ?? {};
    if (deletedAt !== undefined && !suspension && project.deletedAt === undefined) done.deletedSince.push(slug);
    if (ownerKey !== undefined && ownerKey !== project.ownerKey) handedOverSince.push(slug);
    if (suspension && isSuspendedLess(project, suspension)) {
      await (suspension.isTakedown ? takeDownProject : suspendProject)(slug, suspension.reason, now);
      done.suspended.push(slug);
    }
  }
  return { ...done, handedOverSince, withdrawn };
}

/** Whether a project lacks a suspension of its own. */
function isSuspendedLess({ suspension: own }: Project, { withAccount, isTakedown }: Suspension): boolean {
  if (withAccount) return false;
  return isTakedown ? !own?.isTakedown : own === undefined || own.withAccount === true;
}

/** Releases that were withdrawn had a secret, or did harm: each goes offline if it is live, and cannot go live again. */
async function withdrawAgain(table: string, now: Date): Promise<string[]> {
  const withdrawn: string[] = [];
  const options = { table, having: "withdrawnAt", isConsistent: true } as const;
  for await (const { PK, id } of itemsLike(ranges.releases(""), options)) {
    const slug = PK.slice(keys.project("").PK.length);
    const [project, release] = [await readProject(slug), await readRelease(slug, id)];
    if (project === undefined || release === undefined || release.withdrawnAt !== undefined) continue;
    const isLive = project.currentRelease?.manifest === release.manifest;
    const made = { by: undefined, token: undefined, now };
    const offline = isLive ? await removeCurrentRelease(project, release, made) : project;
    await withdrawRelease(offline, id, made);
    withdrawn.push(`${slug} ${id}`);
  }
  return withdrawn;
}

/** State according to the table in use. */
interface LaterState {
  readonly restoredAt: string;
  readonly accounts: ReadonlyMap<string, Pick<Account, "suspension">>;
  readonly projects: ReadonlyMap<string, Pick<Project, "suspension" | "deletedAt" | "ownerKey">>;
  /** The expiry of each active token by its id, the id of each publisher, and the role of each member of a project or a team. */
  readonly active: ReadonlyMap<string, string>;
}

async function laterState(table: string | undefined): Promise<Omit<LaterState, "restoredAt">> {
  const [accounts, projects, active] = [new Map(), new Map(), new Map<string, string>()];
  if (table === undefined) return { accounts, projects, active };
  for await (const { key, suspension, activeTokens } of itemsLike(keys.account(""), { table, isConsistent: true })) {
    accounts.set(key, { suspension });
    for (const [id, expiresAt] of Object.entries(activeTokens)) active.set(id, expiresAt);
  }
  for await (const { slug, suspension, deletedAt, ownerKey, publishers, members } of itemsLike(keys.project(""), {
    table,
    isConsistent: true,
  })) {
    projects.set(slug, { suspension, deletedAt, ownerKey });
    for (const { id } of publishers ?? []) active.set(id, "");
    for (const { id, role } of Object.values(members ?? {})) active.set(id, role);
  }
  for await (const { members } of itemsLike(keys.team(""), { table, isConsistent: true }))
    for (const { id, role } of Object.values(members)) active.set(id, role);
  for await (const { publishers } of itemsLike(keys.pendingPublishers(""), { table, isConsistent: true }))
    for (const { publisher } of Object.values(publishers)) active.set(publisher.id, "");
  return { accounts, projects, active };
}

/** A token that was replaced since then expires earlier now. */
async function revokeTokens(account: Account, later: LaterState, now: Date): Promise<number> {
  const tokens = (await readActiveTokens([account])).filter(
    (token) => tokenStatus(token, now) === "active" && isEnded(token, later),
  );
  for (const { id } of tokens) await revokeToken(account, id, now);
  return tokens.length;
}

async function removePending(account: Account, later: LaterState, now: Date): Promise<number> {
  const pending = await pendingPublishersOf(account, now);
  const removed = pending.filter(({ pending: { publisher } }) => isEnded(publisher, later));
  for (const { slug } of removed) await deletePendingPublisher(account, slug, now);
  return removed.length;
}

/** Takes away who was removed since then, or got another role, and ends all invitations: people invite again. */
async function removePeople(slug: string, later: LaterState, made: ProjectChange): Promise<number> {
  const project = await readProject(slug);
  const { members = {}, invitations = {} } = project ?? {};
  const left = Object.entries(members).filter(
    ([, { id, since, role }]) => !isEnded({ id, createdAt: since, expiresAt: role }, later),
  );
  const open = Object.entries(invitations).filter(([id]) => id >= firstId(new Date(later.restoredAt)));
  const removed = Object.keys(members).length - left.length;
  const people = { members: Object.fromEntries(left), invitations: Object.fromEntries(open) };
  if (project && (removed > 0 || open.length < Object.keys(invitations).length))
    await storePeople(project, people, made, { type: "member_removed" });
  return removed;
}

/** The same of who joins the projects that an account creates. */
async function removeFromRestoredTeam(key: string, later: LaterState, now: Date): Promise<number> {
  const all = Object.entries((await readTeam(key))?.members ?? {});
  const removed = all.filter(([, { id, since, role }]) => isEnded({ id, createdAt: since, expiresAt: role }, later));
  for (const [memberKey] of removed) {
    const team = await readTeam(key);
    if (team) await removeTeamMember(key, team, memberKey, now);
  }
  return removed.length;
}

/** It may have been cancelled since then. */
async function endRestoredSchedule(slug: string, { restoredAt }: LaterState, now: Date): Promise<void> {
  const project = await readProject(slug);
  if (project?.schedule && project.schedule.madeAt < restoredAt)
    await endSchedule(project, project.schedule, "table_restored", now);
}

/** Whether the table in use does not have it any more, or says that it expires at another time. */
function isEnded(
  { id, createdAt, expiresAt = "" }: { id: string; createdAt: string; expiresAt?: string },
  { restoredAt, active }: LaterState,
): boolean {
  return createdAt < restoredAt && active.get(id) !== expiresAt;
}
