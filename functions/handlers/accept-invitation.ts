import * as contract from "../../contract/api/projects/members.ts";
import { acceptInvitation } from "../domain/projects/invitations.ts";
import { acceptedView } from "../http/member-views.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(contract.acceptInvitation, async ({ caller, params, body, receivedAt }) => {
  const accepted = await acceptInvitation(caller, { id: params.invitation, secret: body.secret }, receivedAt);
  return response(200, acceptedView(accepted, caller.account));
});
