import * as contract from "../../contract/api/projects.ts";
import { acceptOffer } from "../domain/projects/transfers.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";
import { changedProjectView } from "../http/views.ts";

export const handler = serve(contract.acceptOffer, async ({ caller, receivedAt }) =>
  response(200, changedProjectView(await acceptOffer(caller, receivedAt), caller.account)),
);
