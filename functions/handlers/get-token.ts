import * as contract from "../../contract/api/tokens/tokens.ts";
import { findTokenInUse } from "../domain/tokens/tokens.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";
import { tokenInUseView } from "../http/views.ts";

export const handler = serve(contract.getToken, async ({ caller: { account }, params: { id }, receivedAt }) =>
  response(200, tokenInUseView(await findTokenInUse(account, id), receivedAt)),
);
