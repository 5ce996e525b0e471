import * as contract from "../../contract/api/tokens/tokens.ts";
import { revokeToken } from "../domain/tokens/tokens.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(contract.revokeToken, async ({ caller: { account }, params: { id }, receivedAt }) => {
  await revokeToken(account, id, receivedAt);
  return response(204, undefined);
});
