import { retryOnConflict } from "../../conflict.ts";
import type { Account } from "../../entities/account.ts";
import type { Member, Project } from "../../entities/project.ts";
import * as environment from "../../environment.ts";
import { readAccounts } from "../../table/accounts/account-items.ts";
import { accountKey } from "../../table/keys.ts";
import { storePeople } from "../../table/projects/member-items.ts";
import { readAllDeletedSlugs, readOwnedSlugs, readProject, readProjects } from "../../table/projects/project-items.ts";
import { readTeam, readTeamMemberships } from "../../table/projects/team-items.ts";
import { type Actor, changeBy, tokenOf } from "../authentication.ts";
import { type ShownPublisher, showPublishers } from "../publishers/publishers.ts";
import { ServiceError } from "../service-error.ts";
import { type ShownInvitation, shownTo } from "./invitations.ts";
import { removeFrom, without } from "./members.ts";
import { isToSeveral } from "./several-projects.ts";
import { isRefused, onlyAccepter, openInvitations } from "./state.ts";
import { leaveTeam } from "./team-members.ts";

/*
 * The people of all projects of an owner. What somebody may do stands in each project; the team only says who joins one that is created
 * (docs/decisions/0070-people-of-a-project.md#one-invitation-for-many-projects).
 */

/** Somebody with a role in projects of an owner, or in those to come. */
export interface TeamPerson {
  readonly account: Account | undefined;
  /** In projects to come. */
  readonly future: Member["role"] | undefined;
  readonly projects: readonly { readonly slug: string; readonly role: Member["role"] }[];
}

/** A team that an account is in. */
export interface JoinedTeam {
  readonly owner: Account | undefined;
  readonly role: Member["role"];
  readonly since: string;
}

export interface ShownTeam {
  readonly people: readonly TeamPerson[];
  readonly invitations: readonly ShownInvitation[];
  readonly teams: readonly JoinedTeam[];
}

/** The people of an owner's projects, and the teams that the account is in; for a narrowed token, of the projects that it names alone. */
export async function listTeam(actor: Actor, now: Date): Promise<ShownTeam> {
  const { key } = actor.account;
  const token = tokenOf(actor);
  const named = token?.projects;
  const [slugs, team, memberships] = await Promise.all([
    readOwnedSlugs(key),
    named ? undefined : readTeam(key),
    named ? [] : readTeamMemberships(key),
  ]);
  const projects = (await readProjects(named ? slugs.filter((slug) => named.includes(slug)) : slugs)).filter(
    (project) => project?.ownerKey === key && !isRefused(project, token),
  ) as Project[];
  const joined = await Promise.all(
    memberships.map(async ({ ownerKey }) => ({ ownerKey, team: await readTeam(ownerKey) })),
  );
  const personKeys = [
    ...new Set([...Object.keys(team?.members ?? {}), ...projects.flatMap(({ members = {} }) => Object.keys(members))]),
  ];
  const open = projects.flatMap((project) =>
    openInvitations(project, now)
      .filter((invitation) => isToSeveral(invitation) && !named)
      .map((invitation) => ({ ...shownTo(actor, invitation), project })),
  );
  const accounts = await readAccounts([...personKeys, ...joined.map(({ ownerKey }) => ownerKey)]);
  const people = personKeys.map((personKey) => ({
    account: accounts.get(personKey),
    future: team?.members[personKey]?.role,
    projects: projects.flatMap(({ slug, members }) => {
      const member = members?.[personKey];
      return member ? [{ slug, role: member.role }] : [];
    }),
  }));
  return {
    people: people.toSorted((a, b) => nameOf(a.account).localeCompare(nameOf(b.account))),
    invitations: open.map((invitation) => ({ ...invitation, from: actor.account })),
    teams: joined.flatMap(({ ownerKey, team: other }) => {
      const member = other?.members[key];
      return member ? [{ owner: accounts.get(ownerKey), role: member.role, since: member.since }] : [];
    }),
  };
}

function nameOf(account: Account | undefined): string {
  return account?.displayName ?? account?.name ?? "";
}

/**
 * Removes a person from the actor's projects and team, or the actor from the team of somebody.
 *
 * @throws ServiceError `invalid_parameters` unless exactly one of both is named
 */
export async function endInTeam(
  actor: Actor,
  {
    uid,
    owner,
    ...removal
  }: Omit<Removal, "uid"> & { readonly uid: string | undefined; readonly owner: string | undefined },
  now: Date,
): Promise<Removed> {
  if ((uid === undefined) === (owner === undefined))
    throw new ServiceError("invalid_parameters", {
      detail: "Name uid, whom to remove, or owner, whose team to leave.",
    });
  if (uid !== undefined) return await removeFromTeam(actor, { ...removal, uid }, now);
  if (owner !== undefined) await leaveTeam(accountKey(environment.idpIssuer(), owner), actor.account.key, now);
  return { projects: [], publishers: [] };
}

/** What is ended of a person. */
interface Removal {
  readonly uid: string;
  /** Whether the person keeps the projects that exist. */
  readonly keepsProjects: boolean;
  readonly removesPublishers: boolean;
}

/** What a removal ended, and the publishers that the person had added there. */
export interface Removed {
  readonly projects: readonly string[];
  readonly publishers: readonly { readonly slug: string; readonly publisher: ShownPublisher }[];
}

/**
 * Removes a person from all projects of the actor, deleted ones too, and from those to come. In an order in which nothing comes back:
 * first the invitations, without which nobody can join the team or a project; then the team, without which no project is created with
 * the person; then the roles in all projects that there are. What stopped halfway is done again, and continues.
 */
async function removeFromTeam(
  actor: Actor,
  { uid, keepsProjects, removesPublishers }: Removal,
  now: Date,
): Promise<Removed> {
  const { account } = actor;
  const key = accountKey(environment.idpIssuer(), uid);
  await endInvitations(actor, key, keepsProjects, now);
  await leaveTeam(account.key, key, now);
  const projects: string[] = [];
  const publishers: Removed["publishers"][number][] = [];
  if (keepsProjects) return { projects, publishers };
  for (const slug of await slugsWith(account.key, ({ members = {} }) => Object.hasOwn(members, key)))
    await retryOnConflict(async () => {
      const project = await readProject(slug);
      if (project?.ownerKey !== account.key || !project.members?.[key]) return;
      const added = (project.publishers ?? []).filter(({ addedBy }) => addedBy === key);
      const shown = await showPublishers(without(project, key), added);
      const isQuiet = projects.length > 0;
      await removeFrom(project, key, changeBy(actor, now), { removed: removesPublishers ? added : [], isQuiet });
      projects.push(slug);
      publishers.push(...shown.map((publisher) => ({ slug, publisher })));
    });
  return { projects, publishers };
}

/** The slugs of the projects of an owner, deleted ones too, of which something holds. */
async function slugsWith(ownerKey: string, holds: (project: Project) => boolean): Promise<string[]> {
  const lists = await Promise.all([readOwnedSlugs(ownerKey), readAllDeletedSlugs(ownerKey)]);
  const projects = await readProjects([...new Set(lists.flat())]);
  return projects.flatMap((project) => (project?.ownerKey === ownerKey && holds(project) ? [project.slug] : []));
}

/** Ends the invitations that an account alone can accept, in all projects of the actor; or those to projects to come alone. */
async function endInvitations(actor: Actor, key: string, isOfFutureAlone: boolean, now: Date): Promise<void> {
  const { account } = actor;
  const idsOf = ({ invitations = {} }: Project) =>
    Object.entries(invitations).flatMap(([id, invitation]) =>
      onlyAccepter(invitation) === key && (invitation.future || !isOfFutureAlone) ? [id] : [],
    );
  for (const slug of await slugsWith(account.key, (project) => idsOf(project).length > 0))
    await retryOnConflict(async () => {
      const project = await readProject(slug);
      const ended = project?.ownerKey === account.key ? idsOf(project) : [];
      if (project === undefined || ended.length === 0) return;
      const left = Object.entries(project.invitations ?? {}).filter(([id]) => !ended.includes(id));
      const people = { members: project.members ?? {}, invitations: Object.fromEntries(left) };
      await storePeople(project, people, changeBy(actor, now), { type: "invitation_deleted", memberKey: key });
    });
}
