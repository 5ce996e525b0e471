import * as contract from "../../contract/api/projects/members.ts";
import { updateMember } from "../domain/projects/members.ts";
import { memberView } from "../http/member-views.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(contract.updateMember, async ({ caller, params: { member: id }, body, receivedAt }) =>
  response(200, memberView(await updateMember(caller, { id, role: body.role }, receivedAt))),
);
