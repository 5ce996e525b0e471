import * as contract from "../../contract/api/tokens/tokens.ts";
import { createToken } from "../domain/tokens/tokens.ts";
import { created } from "../http/response.ts";
import { serve } from "../http/serve.ts";
import { createdTokenView, tokenRequest } from "../http/views.ts";

export const handler = serve(contract.createToken, async ({ caller: { account }, idempotency, body, receivedAt }) => {
  const { token, rawToken } = await createToken(account, tokenRequest(body), receivedAt, { idempotency });
  return created(`/tokens/${token.id}`, createdTokenView(token, rawToken, receivedAt));
});
