import * as contract from "../../contract/api/tokens/tokens.ts";
import { publishersOf } from "../domain/publishers/account-publishers.ts";
import { revokeAllTokens } from "../domain/tokens/tokens.ts";
import { accountPublisherView } from "../http/publisher-views.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(contract.revokeTokens, async ({ caller: { account }, receivedAt }) => {
  // Before the write: a read that fails afterwards would be a 503 for tokens that are revoked.
  const publishers = await publishersOf(account, receivedAt);
  const revoked = await revokeAllTokens(account, receivedAt);
  return response(200, { revoked, publishers: publishers.map(accountPublisherView) });
});
