import * as contract from "../../contract/api/accounts/accounts.ts";
import { storageOf } from "../domain/projects/quota.ts";
import { serve } from "../http/serve.ts";
import { validatedResponse, validatorsOf } from "../http/validators.ts";
import { meView } from "../http/views.ts";

export const handler = serve(contract.getMe, async ({ caller, headers }) => {
  const view = meView(caller, storageOf(caller.ledger));
  return validatedResponse(view, validatorsOf(view), headers);
});
