import type { Account } from "../../entities/account.ts";
import type { Project, Team, TeamMember } from "../../entities/project.ts";
import { personCheck } from "../accounts/account-items.ts";
import { eventWrites, historyWrite, storedEvent } from "../accounts/events.ts";
import { asRead } from "../expressions.ts";
import { keys, ranges } from "../keys.ts";
import { readItems, readWhole } from "../read.ts";
import { change, check, put, remove, transact, type Write, type Writes } from "../transaction.ts";
import { projectHistoryWrite } from "./history.ts";

/*
 * An account's team is one item: who joins each project that it creates. Each of its members has a record of it, by which it ends with
 * the member's account (docs/decisions/0070-people-of-a-project.md#one-invitation-for-many-projects).
 */

/** The team of an account; undefined if it never had one. */
export async function readTeam(ownerKey: string): Promise<Team | undefined> {
  const [team] = await readItems([keys.team(ownerKey)]);
  return team;
}

/** The teams that an account is in. */
export async function readTeamMemberships(accountKey: string) {
  return await readWhole(ranges.teamMemberships(accountKey));
}

function teamAsRead(team: Team | undefined) {
  return asRead({ members: team?.members });
}

/** The writes by which a team joins a project that is created: none of it if a member came, went or lost the account since it was read. */
export function joiningWrites(
  project: Project,
  team: Team | undefined,
  now: Date,
): Record<"team" | "joining", Write | Writes> {
  const { slug, ownerKey, members = {} } = project;
  return {
    team: check(keys.team(ownerKey), teamAsRead(team)),
    joining: Object.entries(members).flatMap(([key, { role, since }]) => [
      personCheck(role, key),
      put(keys.ownership(key, slug), { slug, createdAt: since, isMember: true as const }),
      projectHistoryWrite(
        project,
        { by: ownerKey, token: undefined },
        { ...storedEvent(now, { type: "member_added", project: slug }), memberKey: key, role },
      ),
    ]),
  };
}

/** A new member of a team: the team and its owner's account as they were read. */
export interface TeamJoining {
  readonly owner: Account;
  readonly read: Team | undefined;
  readonly member: TeamMember;
}

/**
 * The writes by which an account joins a team, by an invitation to a project: provided that the owner has created and ended no project
 * since the team was read.
 */
export function joinTeam({ owner, read, member }: TeamJoining, key: string, slug: string, now: Date) {
  const { projectCount, creations } = owner;
  return {
    owner: check(keys.account(owner.key), asRead({ projectCount, creations })),
    team: change(keys.team(owner.key), { members: { ...read?.members, [key]: member } }, teamAsRead(read)),
    membership: put(keys.teamMembership(key, owner.key), {
      ownerKey: owner.key,
      ownerUid: owner.uid,
      since: member.since,
    }),
    event: eventWrites(owner.key, now, { type: "team_member_added", project: slug }),
    ownEvent: historyWrite(key, now, { type: "team_member_added", project: slug }),
  };
}

/** Takes an account out of a team, which is as it was read; nothing is left of it there. */
export async function removeTeamMember(ownerKey: string, team: Team, key: string, now: Date): Promise<void> {
  const { [key]: _, ...members } = team.members;
  await transact({
    team: change(keys.team(ownerKey), { members }, teamAsRead(team)),
    membership: remove(keys.teamMembership(key, ownerKey)),
    event: eventWrites(ownerKey, now, { type: "team_member_removed" }),
  });
}
