import * as contract from "../../contract/api/tokens.ts";
import { revokeAllTokens } from "../domain/tokens/tokens.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(contract.revokeTokens, async ({ caller: { account }, receivedAt }) =>
  response(200, { revoked: await revokeAllTokens(account, receivedAt) }),
);
