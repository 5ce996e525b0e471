import { retryOnConflict } from "../../conflict.ts";
import type { Project, Team } from "../../entities/project.ts";
import { readAccounts } from "../../table/accounts/account-items.ts";
import { deleteItems } from "../../table/accounts/erase.ts";
import { newId } from "../../table/ids.ts";
import { keys } from "../../table/keys.ts";
import { readTeam, readTeamMemberships, removeTeamMember } from "../../table/projects/team-items.ts";

/** The owner's team as it was read, and who of it can join a project that is created now: not who is suspended, or no developer as the role demands. */
export async function teamFor(
  ownerKey: string,
  now: Date,
): Promise<{ readonly team: Team | undefined; readonly members: Pick<Project, "members"> }> {
  const team = await readTeam(ownerKey);
  const all = Object.entries(team?.members ?? {});
  if (all.length === 0) return { team, members: {} };
  const accounts = await readAccounts(all.map(([key]) => key));
  const since = now.toISOString();
  const joining = all.flatMap(([key, { role }]) => {
    const account = accounts.get(key);
    const canJoin = account && !account.suspension && (role === "viewer" || account.role === "dev");
    return canJoin ? [[key, { id: newId(now), role, since, byTeam: true as const }] as const] : [];
  });
  return { team, members: joining.length > 0 ? { members: Object.fromEntries(joining) } : {} };
}

/** Takes an account out of the team of an owner: it joins no project that is created from then on. */
export async function leaveTeam(ownerKey: string, key: string, now: Date): Promise<void> {
  await retryOnConflict(async () => {
    const team = await readTeam(ownerKey);
    if (team?.members[key]) await removeTeamMember(ownerKey, team, key, now);
  });
}

/** Takes an account that is deleted out of each team that it was in, and ends its own. */
export async function leaveTeams(key: string, now: Date): Promise<void> {
  for (const { ownerKey } of await readTeamMemberships(key)) await leaveTeam(ownerKey, key, now);
  const own = await readTeam(key);
  await deleteItems(Object.keys(own?.members ?? {}).map((memberKey) => keys.teamMembership(memberKey, key)));
}
