import * as contract from "../../contract/api/projects/members.ts";
import { createInvitation } from "../domain/projects/invitations.ts";
import { invitationView } from "../http/member-views.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(contract.createInvitation, async ({ caller, body, receivedAt }) => {
  const { role, to, projects, future } = body;
  const { invitation, secret } = await createInvitation(caller, { role, to, projects, future }, receivedAt);
  return response(200, { ...invitationView(invitation), secret });
});
