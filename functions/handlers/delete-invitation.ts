import * as contract from "../../contract/api/projects/members.ts";
import { deleteInvitation } from "../domain/projects/invitations.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(contract.deleteInvitation, async ({ caller, params, receivedAt }) => {
  await deleteInvitation(caller, params.invitation, receivedAt);
  return response(204, undefined);
});
