import * as contract from "../../contract/api/tokens/tokens.ts";
import { revokeCurrentToken } from "../domain/tokens/tokens.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(contract.revokeCurrentToken, async ({ caller: { account, token }, receivedAt }) => {
  await revokeCurrentToken(account, token, receivedAt);
  return response(204, undefined);
});
