import * as contract from "../../contract/api/projects.ts";
import { refuseOffer } from "../domain/projects/transfers.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(contract.refuseOffer, async ({ caller: { project } }) => {
  await refuseOffer(project);
  return response(204, undefined);
});
