import { randomBytes } from "node:crypto";
import { dayMilliseconds, limits } from "../../../contract/api/limits.ts";
import { retryOnConflict } from "../../conflict.ts";
import type { Account } from "../../entities/account.ts";
import type { Invitation, Ledger, Member, Project, ProjectRole } from "../../entities/project.ts";
import { readAccount, readAccounts } from "../../table/accounts/account-items.ts";
import { newId } from "../../table/ids.ts";
import { grantKey } from "../../table/keys.ts";
import { readLedger } from "../../table/projects/ledger.ts";
import {
  type Acceptance,
  handOver,
  insertMember,
  readReceivedInvitations,
  storePeople,
} from "../../table/projects/member-items.ts";
import { readProject, readProjects } from "../../table/projects/project-items.ts";
import { readTeam } from "../../table/projects/team-items.ts";
import { findUser } from "../accounts/accounts.ts";
import { type Actor, changeBy, type ProjectActor, tokenOf } from "../authentication.ts";
import { authorizeAccount } from "../authorization.ts";
import { cursorAfter, type Page, sliceOf } from "../pages.ts";
import { ServiceError } from "../service-error.ts";
import { bringToEdge, type ChangedProject, type EdgeState, ownChange } from "./pointers.ts";
import { assertRoomForProject } from "./projects.ts";
import { assertRoomInAccount, usedOf } from "./quota.ts";
import { extentOf, isSameExtent, isToSeveral, type JoinResult, joinOthers } from "./several-projects.ts";
import {
  assertNotDeleted,
  assertNotSuspended,
  includesRole,
  invitationFor,
  isAdmin,
  type OpenInvitation,
  onlyAccepter,
  openInvitations,
  roleIn,
} from "./state.ts";

/** An invitation with what a person sees of it. */
export type ShownInvitation = OpenInvitation & { readonly project: Project; readonly from: Account | undefined };

/** @throws ServiceError `invitation_not_found` */
function invitationOf({ account, project }: ProjectActor, id: string, now: Date): OpenInvitation {
  const invitation = invitationFor(project, account, id, now);
  if (invitation === undefined) throw new ServiceError("invitation_not_found");
  return invitation;
}

/** Whom an actor invites. */
interface InvitationRequest {
  readonly role: ProjectRole;
  /** Undefined for whoever has the link. */
  readonly to: string | undefined;
  /** The slugs of other projects that it is to as well. */
  readonly projects?: readonly string[] | undefined;
  /** Whether it is also to each project that the actor creates from then on. */
  readonly future?: boolean;
}

/**
 * Invites somebody to a project. The same invitation to the same user stays as it is; one with another role replaces it, and one
 * with the role `owner` replaces each other with that role. What has expired is forgotten.
 *
 * @returns the invitation, and the link's secret, which is stored as a hash
 * @throws ServiceError `project_role_required`, also for an admin who would replace the hand-over; `validation_failed` if the new owner is not named, or the user is one of the people
 *   of the project, or a hand-over is to several projects; `user_not_found`; `member_limit_reached`; those of {@link extentOf}
 */
export async function createInvitation(
  actor: ProjectActor,
  { role, to: uid, projects = [], future = false }: InvitationRequest,
  now: Date,
): Promise<{ readonly invitation: ShownInvitation; readonly secret: string | null }> {
  const { account, project } = actor;
  if (role === "owner" && roleIn(project, account.key) !== "owner") throw new ServiceError("project_role_required");
  if (role === "owner" && uid === undefined) throw invalidTo("must name the new owner");
  const to = uid === undefined ? undefined : await invited(project, role, uid);
  const extent = await extentOf(actor, { projects, future }, now);
  if (role === "owner" && isToSeveral(extent)) throw invalid("/role", "must be another one for several projects");
  const open = openInvitations(project, now);
  const existing = open.find((each) => to !== undefined && each.to?.key === to.key);
  // It would replace the hand-over.
  if (existing?.role === "owner" && roleIn(project, account.key) !== "owner")
    throw new ServiceError("project_role_required", { detail: "The owner hands the project over to this user." });
  if (existing?.role === role && isSameExtent(existing, extent))
    return { invitation: { ...existing, project, from: account }, secret: null };
  const others = open.filter((each) => each !== existing && !(role === "owner" && each.role === "owner"));
  if (role !== "owner") assertRoomForMember(project, others);
  const secret = to ? null : randomBytes(32).toString("base64url");
  const expiresAt = new Date(now.getTime() + limits.invitationDays * dayMilliseconds).toISOString();
  const id = newId(now);
  const made = {
    role,
    fromKey: account.key,
    expiresAt,
    ...(to && { to }),
    ...(secret && { secret: grantKey(secret) }),
    ...extent,
  };
  await storePeople(
    project,
    { members: project.members ?? {}, invitations: { ...byId(others), [id]: made } },
    changeBy(actor, now),
    { type: "invitation_created", memberKey: to?.key, role },
  );
  return { invitation: { ...made, id, project, from: account }, secret };
}

function byId(invitations: readonly OpenInvitation[]): Record<string, Invitation> {
  return Object.fromEntries(invitations.map(({ id, ...invitation }) => [id, invitation]));
}

async function invited(project: Project, role: ProjectRole, uid: string): Promise<Invitation["to"]> {
  const { key } = await findUser(uid);
  const has = roleIn(project, key);
  if (has === "owner" || (has !== undefined && role !== "owner"))
    throw invalidTo("is one of the people of the project already");
  return { key, uid };
}

function invalidTo(detail: string): ServiceError {
  return invalid("/to", detail);
}

function invalid(pointer: string, detail: string): ServiceError {
  return new ServiceError("validation_failed", { errors: [{ pointer, detail }] });
}

/** A new owner takes the place of the previous one. */
function assertRoomForMember({ members = {} }: Project, open: readonly OpenInvitation[]): void {
  const places = open.filter(({ role }) => role !== "owner").length;
  if (1 + Object.keys(members).length + places >= limits.membersPerProject)
    throw new ServiceError("member_limit_reached");
}

/**
 * What an invitation is to beside its project is for who made it and who alone can accept it: neither the part of a link that logs have nor
 * a narrowed token shows it.
 */
export function shownTo(actor: Actor, { more, ...invitation }: OpenInvitation): OpenInvitation {
  const { key } = actor.account;
  const isTheirs = invitation.fromKey === key || onlyAccepter(invitation) === key;
  const isShown = isTheirs && !tokenOf(actor)?.projects;
  return { ...invitation, ...(isShown && more && { more }) };
}

/** An invitation as the page shows it on which a person accepts. @throws ServiceError `invitation_not_found` */
export async function getInvitation(actor: ProjectActor, id: string, now: Date): Promise<ShownInvitation> {
  return await withInviter(actor.project, shownTo(actor, invitationOf(actor, id, now)));
}

async function withInviter(project: Project, invitation: OpenInvitation): Promise<ShownInvitation> {
  const { fromKey } = invitation;
  return { ...invitation, project, from: (await readAccounts([fromKey])).get(fromKey) };
}

/**
 * An invitation by a link, for whoever has the whole link: who invites, to which game, as what. What has only the link's visible part, as a log of URLs
 * has, gets nothing, and an invitation to a user shows itself to that user alone.
 *
 * @throws ServiceError `invitation_not_found`, whatever is missing
 */
export async function lookUpInvitation(
  { slug, id, secret }: { readonly slug: string; readonly id: string; readonly secret: string },
  now: Date,
): Promise<ShownInvitation> {
  const project = await readProject(slug);
  const isClosed = project === undefined || project.deletedAt !== undefined || project.suspension !== undefined;
  const invitation = isClosed ? undefined : openInvitations(project, now).find((each) => each.id === id);
  const isLink = invitation?.secret === grantKey(secret) && onlyAccepter(invitation) === undefined;
  if (isClosed || !isLink) throw new ServiceError("invitation_not_found");
  return await withInviter(project, invitation);
}

/**
 * One page of the invitations to an account by its uid, in the order of the projects' slugs. What can be accepted now is listed, so a page
 * can be short.
 *
 * @throws ServiceError `invalid_cursor`
 */
export async function listInvitations(
  { key }: Account,
  page: Page,
  now: Date,
): Promise<{ invitations: ShownInvitation[]; nextCursor: string | null }> {
  const list = `invitations to ${key}`;
  const { items, last } = await readReceivedInvitations(key, sliceOf(page, list));
  const projects = (await readProjects(items.map(({ slug }) => slug))).filter((project) => project !== undefined);
  const standing = projects
    .filter(({ deletedAt, suspension }) => deletedAt === undefined && suspension === undefined)
    .flatMap((project) => openInvitations(project, now).map((invitation) => ({ ...invitation, project })))
    .filter(({ to }) => to?.key === key);
  const accounts = await readAccounts(standing.map(({ fromKey }) => fromKey));
  return {
    invitations: standing.map((invitation) => ({ ...invitation, from: accounts.get(invitation.fromKey) })),
    nextCursor: cursorAfter(last, list),
  };
}

/**
 * Withdraws an invitation, or refuses it.
 *
 * @throws ServiceError `invitation_not_found` for who has a link alone; `project_role_required` if an admin withdraws a hand-over
 */
export async function deleteInvitation(actor: ProjectActor, id: string, now: Date): Promise<void> {
  const { account, project } = actor;
  const invitation = invitationOf(actor, id, now);
  const isOwn = invitation.to?.key === account.key;
  if (!isOwn && !isAdmin(project, account.key)) throw new ServiceError("invitation_not_found");
  if (!isOwn && !includesRole(roleIn(project, account.key), invitation.role))
    throw new ServiceError("project_role_required");
  const { [id]: _, ...invitations } = project.invitations ?? {};
  const { to, role } = invitation;
  await storePeople(project, { members: project.members ?? {}, invitations }, changeBy(actor, now), {
    type: "invitation_deleted",
    memberKey: to?.key,
    role,
  });
}

/**
 * Makes the actor a member, or the owner: every request by the previous owner is refused from then on, whatever its credential.
 *
 * @param secret the link's; not for an invitation to a user
 * @throws ServiceError `invitation_not_found` without the link's secret, and for who could only withdraw it; `developer_required` for each role but viewer;
 *   `already_member`; `project_limit_reached`, `quota_exceeded`
 */
export async function acceptInvitation(
  actor: ProjectActor & { readonly ledger: Ledger | undefined },
  { id, secret }: { readonly id: string; readonly secret: string | undefined },
  now: Date,
): Promise<AcceptedInvitation> {
  const { account, project } = actor;
  const { id: _, ...read } = invitationOf(actor, id, now);
  const only = onlyAccepter(read);
  const isTo = only ? only === account.key : secret !== undefined && grantKey(secret) === read.secret;
  if (!isTo) throw new ServiceError("invitation_not_found");
  if (read.role !== "viewer") authorizeAccount({ role: "dev" }, account);
  const { role } = read;
  if (role === "owner") return { ...(await takeOver(actor, now)), ...nothingMore };
  const isMember = roleIn(project, account.key) !== undefined;
  if (isMember && (!isToSeveral(read) || read.fromKey === account.key)) throw new ServiceError("already_member");
  const joined = isToSeveral(read) ? await joinOthers(actor, { id, invitation: read, role }, now) : undefined;
  // The last write: until then the person can go on with it.
  const acceptance = { id, invitation: joined?.invitation ?? read, toKey: account.key };
  const accepted = isMember ? await endInvitation(actor, id, now) : await join(actor, acceptance, role, now);
  return {
    project: accepted,
    edge: await edgeOf(accepted, now),
    more: joined?.results ?? [],
    isInTeam: read.future === true && (await readTeam(read.fromKey))?.members[account.key] !== undefined,
  };
}

/** A project that was accepted, and what came of the others that the invitation was to. */
export type AcceptedInvitation = ChangedProject & {
  readonly more: readonly { readonly slug: string; readonly result: JoinResult }[];
  /** Whether the person is in the team of who invites. */
  readonly isInTeam: boolean;
};

const nothingMore = { more: [], isInTeam: false };

async function join(actor: ProjectActor, acceptance: Acceptance, role: Member["role"], now: Date): Promise<Project> {
  const { project } = actor;
  const member = { id: newId(now), role, since: now.toISOString() };
  await insertMember(project, acceptance, member, changeBy(actor, now));
  return { ...project, members: { ...project.members, [acceptance.toKey]: member } };
}

/** Ends an invitation to several projects that a member of the one that it stands in has accepted. */
async function endInvitation(actor: ProjectActor, id: string, now: Date): Promise<Project> {
  // The invitation is stored as it is now, with what was joined.
  const project = (await readProject(actor.project.slug)) ?? actor.project;
  const { [id]: ended, ...invitations } = project.invitations ?? {};
  const people = { members: project.members ?? {}, invitations };
  if (ended) await storePeople(project, people, changeBy(actor, now), { type: "invitation_deleted", role: ended.role });
  return project;
}

async function takeOver(
  { account, project, ledger }: Pick<ProjectActor, "account" | "project"> & { readonly ledger: Ledger | undefined },
  now: Date,
): Promise<ChangedProject> {
  const used = usedOf(project);
  assertRoomForProject(account);
  if (used.objects > 0) assertRoomInAccount(ledger, used);
  const accepted = await handOver(project, { toKey: account.key, used }, now);
  return { project: accepted, edge: await edgeOf(accepted, now) };
}

/**
 * Gives a project to another developer for an owner who cannot sign in, which only the operator does: nobody has to accept. As after a
 * hand-over its members stay, and its publishers, previews and invitations do not.
 *
 * @returns whether the games' edge has it
 * @throws ServiceError `project_not_found`, `project_deleted`, `project_suspended`; `user_not_found`, also for a suspended account;
 *   `developer_required`; `project_limit_reached`, `quota_exceeded`
 */
export async function giveProject(slug: string, toKey: string, now: Date): Promise<EdgeState> {
  return await retryOnConflict(async () => {
    const [project, account, ledger] = await Promise.all([readProject(slug), readAccount(toKey), readLedger(toKey)]);
    if (project === undefined) throw new ServiceError("project_not_found", { detail: "No project has this slug." });
    assertNotDeleted(project);
    assertNotSuspended(project);
    if (account === undefined || account.suspension) throw new ServiceError("user_not_found");
    if (account.role !== "dev") throw new ServiceError("developer_required");
    if (project.ownerKey === toKey) return await bringToEdge({ slugs: [slug] }, now);
    return (await takeOver({ account, project, ledger }, now)).edge;
  });
}

async function edgeOf(project: Project, now: Date) {
  return await bringToEdge(ownChange(project), now);
}
