import * as contract from "../../contract/api/members.ts";
import { removeMember } from "../domain/projects/members.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(contract.removeMember, async ({ caller, params, receivedAt }) => {
  await removeMember(caller, params.member, receivedAt);
  return response(204, undefined);
});
