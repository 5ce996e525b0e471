import * as contract from "../../contract/api/accounts.ts";
import { storageOf } from "../domain/projects/quota.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";
import { meView } from "../http/views.ts";

export const handler = serve(contract.getMe, async ({ caller }) =>
  response(200, meView(caller, storageOf(caller.ledger))),
);
