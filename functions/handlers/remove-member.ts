import * as contract from "../../contract/api/projects/members.ts";
import { removeMember } from "../domain/projects/members.ts";
import { publisherView } from "../http/publisher-views.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(contract.removeMember, async ({ caller, params, query, receivedAt }) => {
  const removal = { id: params.member, removesPublishers: query.publishers === "remove" };
  const publishers = await removeMember(caller, removal, receivedAt);
  return response(200, { publishers: publishers.map(publisherView) });
});
