import * as contract from "../../contract/api/projects/members.ts";
import { getInvitation } from "../domain/projects/invitations.ts";
import { receivedInvitationView } from "../http/member-views.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(contract.getInvitation, async ({ caller, params, receivedAt }) =>
  response(200, receivedInvitationView(await getInvitation(caller, params.invitation, receivedAt))),
);
