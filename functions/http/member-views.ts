import type * as z from "zod/mini";
import type * as contract from "../../contract/api/projects/members.ts";
import type * as tokens from "../../contract/api/projects/project-tokens.ts";
import type { ShownInvitation } from "../domain/projects/invitations.ts";
import type { ShownEvent, ShownMember } from "../domain/projects/members.ts";
import type { ProjectToken } from "../domain/projects/project-tokens.ts";
import type { Account } from "../entities/account.ts";
import { eventView, projectView, userView } from "./views.ts";

type MembersView = z.infer<(typeof contract.listMembers)["responses"][200]>;
type ReceivedInvitationView = z.infer<(typeof contract.getInvitation)["responses"][200]>;
type ProjectTokenView = z.infer<(typeof tokens.updateProjectToken)["responses"][200]>;
type ProjectEventView = z.infer<(typeof contract.listProjectEvents)["responses"][200]>["events"][number];

function personView(account: Account | undefined): MembersView["members"][number]["user"] {
  return account ? userView(account) : null;
}

export function memberView({ id, account, role, since }: ShownMember): MembersView["members"][number] {
  return { id, user: personView(account), role, since };
}

export function invitationView(invitation: ShownInvitation): MembersView["invitations"][number] {
  const { id, role, to, expiresAt, from } = invitation;
  return { id, role, expires_at: expiresAt, to: to?.uid ?? null, from: personView(from) };
}

/** Invitation as seen by anyone who can accept it: of the project, they see what everybody sees. */
export function receivedInvitationView(invitation: ShownInvitation): ReceivedInvitationView {
  const { id, role, expiresAt, project, from } = invitation;
  return { id, role, expires_at: expiresAt, project: projectView(project), from: personView(from) };
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
