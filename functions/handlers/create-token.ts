import * as contract from "../../contract/tokens.ts";
import { issueToken } from "../domain/tokens/tokens.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";
import { createdTokenView, tokenRequest } from "../http/views.ts";

export const handler = serve(contract.createToken, async ({ caller: { account }, body, receivedAt }) => {
  const { token, rawToken } = await issueToken(account, tokenRequest(body), receivedAt);
  return response(201, createdTokenView(token, rawToken, receivedAt));
});
