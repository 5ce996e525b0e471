import * as contract from "../../contract/api/tokens/tokens.ts";
import { listTokens } from "../domain/tokens/tokens.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";
import { tokenView } from "../http/views.ts";

export const handler = serve(contract.listTokens, async ({ caller: { account }, query, receivedAt }) => {
  const { tokens, nextCursor } = await listTokens(account, query, receivedAt);
  const views = tokens.map((token) => tokenView(token, receivedAt));
  return response(200, { tokens: views, next_cursor: nextCursor });
});
