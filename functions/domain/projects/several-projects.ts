import { isDeepStrictEqual } from "node:util";
import { dayMilliseconds, limits } from "../../../contract/api/limits.ts";
import type { Account } from "../../entities/account.ts";
import type { Invitation, Member, Project } from "../../entities/project.ts";
import { newId } from "../../table/ids.ts";
import { keys } from "../../table/keys.ts";
import { insertByOther, takeInvitation } from "../../table/projects/member-items.ts";
import { readOwnedSlugs, readProjects } from "../../table/projects/project-items.ts";
import type { TeamJoining } from "../../table/projects/team-items.ts";
import { readItems } from "../../table/read.ts";
import { changeBy, type ProjectActor } from "../authentication.ts";
import { ServiceError } from "../service-error.ts";
import { assertJustSignedIn } from "../sign-in-age.ts";
import { assertNotDeleted, assertNotSuspended, openInvitations, peopleOf, roleIn } from "./state.ts";

/*
 * An invitation to several projects of one owner, and to those to come. It stands in one of them, and is accepted project by project
 * (docs/decisions/0070-people-of-a-project.md#one-invitation-for-many-projects).
 */

/** To what an invitation is beside the project that it stands in. */
export type Extent = Pick<Invitation, "more" | "future">;

/** Whether an invitation is to more than the project that it stands in. */
export function isToSeveral({ more, future }: Extent): boolean {
  return more !== undefined || future === true;
}

/** Whether two invitations are to the same, and nobody has begun to accept the first. */
export function isSameExtent(invitation: Invitation, { more, future }: Extent): boolean {
  const { takenBy } = invitation;
  return takenBy === undefined && invitation.future === future && isDeepStrictEqual(invitation.more, more);
}

/**
 * To what an owner invites beside a project.
 *
 * @param projects the slugs of other projects
 * @throws ServiceError `project_role_required` for who does not own each of them; `project_not_found`, `project_deleted`, `project_suspended`;
 *   `recent_sign_in_required` if a person makes live in one of them
 */
export async function extentOf(
  actor: ProjectActor,
  { projects, future }: { readonly projects: readonly string[]; readonly future: boolean },
  now: Date,
): Promise<Extent> {
  const { account, project } = actor;
  const slugs = projects.filter((slug) => slug !== project.slug).toSorted();
  if (slugs.length === 0 && !future) return {};
  assertOwner(project, account);
  for (const [index, other] of (await readProjects(slugs)).entries()) {
    if (other === undefined || roleIn(other, account.key) === undefined)
      throw new ServiceError("project_not_found", { detail: `You have no project ${slugs[index]}.` });
    assertNotDeleted(other);
    assertOwner(other, account);
    assertNotSuspended(other);
    assertPersonOf(actor, other, now);
  }
  const more = Object.fromEntries(slugs.map((slug) => [slug, "open"] as const));
  return { ...(slugs.length > 0 && { more }), ...(future && { future }) };
}

function assertOwner(project: Project, { key }: Account): void {
  if (project.ownerKey === key) return;
  const detail = `You do not own ${project.slug}: only the owner invites to several projects at once.`;
  throw new ServiceError("project_role_required", { detail });
}

/** What the route demands for the project in its path holds for each other one. */
function assertPersonOf(actor: ProjectActor, { personMakesLive }: Project, now: Date): void {
  if (personMakesLive && actor.kind === "idToken") assertJustSignedIn(actor.person, now);
}

export type JoinResult = "joined" | "already_member" | "member_limit_reached" | "unavailable";

/** What came of an invitation to several projects, beside the one that it stands in. */
export interface Joined {
  /** As it is stored now. */
  readonly invitation: Invitation;
  readonly results: readonly { readonly slug: string; readonly result: JoinResult }[];
}

/**
 * Makes the actor a member of the other projects of an invitation, one after the other, and of the team of who invites. Each is joined once
 * by an invitation, so who was removed meanwhile stays so. Nothing but what who invites owns now is joined.
 *
 * @throws ServiceError `recent_sign_in_required` if a person makes live in one of them
 */
export async function joinOthers(
  actor: ProjectActor,
  {
    id,
    invitation: read,
    role,
  }: { readonly id: string; readonly invitation: Invitation; readonly role: Member["role"] },
  now: Date,
): Promise<Joined> {
  let invitation = read.takenBy === undefined ? await take(actor, { id, invitation: read, role }, now) : read;
  const slugs = Object.keys(invitation.more ?? {}).toSorted();
  const projects = (await readProjects(slugs)).map((project) =>
    project?.ownerKey === read.fromKey && !project.deletedAt && !project.suspension ? project : undefined,
  );
  const isLeft = (slug: string) => invitation.more?.[slug] === "open";
  for (const project of projects) if (project && isLeft(project.slug)) assertPersonOf(actor, project, now);
  const results: Joined["results"][number][] = [];
  for (const [index, slug] of slugs.entries()) {
    const project = projects[index];
    const refusal = isLeft(slug) ? refusalOf(project, actor.account, now) : "joined";
    results.push({ slug, result: refusal ?? "joined" });
    if (refusal !== undefined || project === undefined) continue;
    const acceptance = { slug: actor.project.slug, id, invitation, toKey: actor.account.key };
    await insertByOther(project, acceptance, { id: newId(now), role, since: now.toISOString() }, changeBy(actor, now));
    invitation = { ...invitation, more: { ...invitation.more, [slug]: "joined" } };
  }
  return { invitation, results };
}

function refusalOf(project: Project | undefined, { key }: Account, now: Date): JoinResult | undefined {
  if (project === undefined) return "unavailable";
  if (roleIn(project, key) !== undefined) return "already_member";
  const places = openInvitations(project, now).filter(({ role }) => role !== "owner").length;
  return peopleOf(project) + places >= limits.membersPerProject ? "member_limit_reached" : undefined;
}

/** Keeps an invitation for the actor alone, who joins the team now, and, of the projects that were created since it was made, each one. */
async function take(
  { account, project }: ProjectActor,
  { id, invitation, role }: { readonly id: string; readonly invitation: Invitation; readonly role: Member["role"] },
  now: Date,
): Promise<Invitation> {
  const future = invitation.future && (await futureOf(project, invitation, { account, role }, now));
  const more = future ? { ...invitation.more, ...future.newer } : invitation.more;
  const taken = { ...invitation, takenBy: account.key, ...(more && { more }) };
  const acceptance = { id, invitation, toKey: account.key };
  await takeInvitation({ project, acceptance, taken, account, role, team: future ? future.team : undefined }, now);
  return taken;
}

/** The place in the team of who invites, if it has one, and the projects that were created since the invitation was made. */
async function futureOf(
  { slug: invitingSlug }: Project,
  { fromKey, expiresAt, more }: Invitation,
  { account, role }: { readonly account: Account; readonly role: Member["role"] },
  now: Date,
): Promise<{ readonly team: TeamJoining | undefined; readonly newer: NonNullable<Invitation["more"]> }> {
  const [owner, read] = await readItems([keys.account(fromKey), keys.team(fromKey)]);
  const madeAt = new Date(Date.parse(expiresAt) - limits.invitationDays * dayMilliseconds).toISOString();
  const created = (await readProjects(await readOwnedSlugs(fromKey))).filter(
    (project) => project !== undefined && project.createdAt >= madeAt && project.slug !== invitingSlug,
  );
  const newer = created.flatMap((project) => (project && more?.[project.slug] === undefined ? [project.slug] : []));
  const isThere = read?.members[account.key] !== undefined;
  const hasRoom = isThere || Object.keys(read?.members ?? {}).length + 1 < limits.membersPerProject;
  const member = { id: newId(now), uid: account.uid, role, since: now.toISOString() };
  return {
    team: owner && hasRoom ? { owner, read, member } : undefined,
    newer: Object.fromEntries(newer.map((one) => [one, "open"] as const)),
  };
}
