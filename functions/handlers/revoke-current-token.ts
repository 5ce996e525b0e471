import * as contract from "../../contract/tokens.ts";
import { revokeToken } from "../domain/tokens/tokens.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(contract.revokeCurrentToken, async ({ caller: { account, token }, receivedAt }) => {
  await revokeToken(account, token.id, receivedAt);
  return response(204, undefined);
});
