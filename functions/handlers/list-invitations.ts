import * as contract from "../../contract/api/projects/members.ts";
import { listInvitations } from "../domain/projects/invitations.ts";
import { receivedInvitationView } from "../http/member-views.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(contract.listInvitations, async ({ caller: { account }, query, receivedAt }) => {
  const { invitations, nextCursor } = await listInvitations(account, query, receivedAt);
  return response(200, { invitations: invitations.map(receivedInvitationView), next_cursor: nextCursor });
});
