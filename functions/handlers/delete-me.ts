import * as contract from "../../contract/api/accounts/accounts.ts";
import { deleteAccount } from "../domain/accounts/deletion.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(contract.deleteMe, async ({ caller, receivedAt }) => {
  await deleteAccount(caller, receivedAt);
  return response(204, undefined);
});
