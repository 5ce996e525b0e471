import { revokeToken as route } from "../../contract/tokens.ts";
import { revokeToken } from "../domain/tokens.ts";
import { answer } from "../http/answer.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(route, async ({ caller: { account }, params: { id }, receivedAt }) => {
  await revokeToken(account.key, id, receivedAt);
  return answer(204, undefined);
});
