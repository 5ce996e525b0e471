import * as contract from "../../contract/api/projects.ts";
import { withdrawOffer } from "../domain/projects/transfers.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(contract.withdrawOffer, async ({ caller }) => {
  await withdrawOffer(caller);
  return response(204, undefined);
});
