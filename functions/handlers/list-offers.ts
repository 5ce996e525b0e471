import * as contract from "../../contract/api/projects.ts";
import { listOffers } from "../domain/projects/transfers.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";
import { offerView } from "../http/views.ts";

export const handler = serve(contract.listOffers, async ({ caller: { account }, query, receivedAt }) => {
  const { offers, nextCursor } = await listOffers(account, query, receivedAt);
  return response(200, { offers: offers.map(offerView), next_cursor: nextCursor });
});
