import type * as z from "zod/mini";
import type * as contract from "../../contract/api/projects/members.ts";
import type * as tokens from "../../contract/api/projects/project-tokens.ts";
import type { AcceptedInvitation, ShownInvitation } from "../domain/projects/invitations.ts";
import type { ShownEvent, ShownMember } from "../domain/projects/members.ts";
import type { ProjectToken } from "../domain/projects/project-tokens.ts";
import type { Removed, ShownTeam } from "../domain/projects/team.ts";
import type { Account } from "../entities/account.ts";
import { publisherView } from "./publisher-views.ts";
import { changedProjectView, eventView, projectView, userView } from "./views.ts";

type MembersView = z.infer<(typeof contract.listMembers)["responses"][200]>;
type ReceivedInvitationView = z.infer<(typeof contract.getInvitation)["responses"][200]>;
type AcceptedView = z.infer<(typeof contract.acceptInvitation)["responses"][200]>;
type TeamView = z.infer<(typeof contract.listTeam)["responses"][200]>;
type RemovedView = z.infer<(typeof contract.leaveTeam)["responses"][200]>;
type ProjectTokenView = z.infer<(typeof tokens.updateProjectToken)["responses"][200]>;
type ProjectEventView = z.infer<(typeof contract.listProjectEvents)["responses"][200]>["events"][number];

function personView(account: Account | undefined): MembersView["members"][number]["user"] {
  return account ? userView(account) : null;
}

export function memberView({ id, account, role, since, byTeam }: ShownMember): MembersView["members"][number] {
  return { id, user: personView(account), role, since, by_team: byTeam ?? false };
}

export function invitationView(invitation: ShownInvitation): MembersView["invitations"][number] {
  const { to, from } = invitation;
  return { ...invitationFields(invitation), to: to?.uid ?? null, from: personView(from) };
}

function invitationFields({ id, role, expiresAt, more = {}, future }: ShownInvitation) {
  return { id, role, expires_at: expiresAt, more_projects: Object.keys(more).toSorted(), future: future ?? false };
}

/** Invitation as seen by anyone who can accept it: of the project, they see what everybody sees. */
export function receivedInvitationView(invitation: ShownInvitation): ReceivedInvitationView {
  const { project, from } = invitation;
  return { ...invitationFields(invitation), project: projectView(project), from: personView(from) };
}

export function acceptedView({ more, isInTeam, ...accepted }: AcceptedInvitation, account: Account): AcceptedView {
  return { ...changedProjectView(accepted, account), more_projects: [...more], future: isInTeam };
}

export function teamView({ people, invitations, teams }: ShownTeam): TeamView {
  return {
    people: people.map(({ account, future, projects }) => ({
      user: personView(account),
      future: future ?? null,
      projects: [...projects],
    })),
    invitations: invitations.map((invitation) => ({
      project: invitation.project.slug,
      invitation: invitationView(invitation),
    })),
    teams: teams.map(({ owner, role, since }) => ({ owner: personView(owner), role, since })),
  };
}

export function removedView({ projects, publishers }: Removed): RemovedView {
  return {
    projects: [...projects],
    publishers: publishers.map(({ slug, publisher }) => ({ project: slug, publisher: publisherView(publisher) })),
  };
}

export function projectTokenView({ token, account, role, refusedAt }: ProjectToken): ProjectTokenView {
  return {
    id: token.id,
    name: token.name,
    hint: token.hint,
    user: userView(account),
    role,
    scopes: [...token.scopes],
    all_projects: token.projects === null,
    created_at: token.createdAt,
    expires_at: token.expiresAt,
    last_used_at: token.lastUsedAt ?? null,
    refused_at: refusedAt ?? null,
  };
}

export function projectEventView(event: ShownEvent): ProjectEventView {
  const { memberKey, member, role, by } = event;
  return {
    ...eventView(event),
    by: personView(by),
    ...(memberKey && { member: personView(member) }),
    ...(role && { role }),
  };
}
