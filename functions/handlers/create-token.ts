import { createToken as route } from "../../contract/tokens.ts";
import { createToken } from "../domain/tokens.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";
import { createdTokenView, tokenRequest } from "../http/views.ts";

export const handler = serve(route, async ({ caller: { account }, body, receivedAt }) => {
  const { token, rawToken } = await createToken(account, tokenRequest(body), receivedAt);
  return response(201, createdTokenView(token, rawToken, receivedAt));
});
