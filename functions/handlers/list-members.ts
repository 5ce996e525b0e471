import * as contract from "../../contract/api/projects/members.ts";
import { listMembers } from "../domain/projects/members.ts";
import { invitationView, memberView } from "../http/member-views.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(contract.listMembers, async ({ caller, receivedAt }) => {
  const { members, invitations } = await listMembers(caller, receivedAt);
  return response(200, { members: members.map(memberView), invitations: invitations.map(invitationView) });
});
