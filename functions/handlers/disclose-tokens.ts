import * as contract from "../../contract/api/tokens/tokens.ts";
import { revokeDisclosed } from "../domain/tokens/disclosures.ts";
import { response } from "../http/response.ts";
import { serveOpen } from "../http/serve-open.ts";

export const handler = serveOpen(contract.discloseTokens, async ({ body, receivedAt }) => {
  const disclosed = body.tokens.map(({ token, found_at: foundAt }) => ({ token, foundAt }));
  await revokeDisclosed(disclosed, receivedAt);
  return response(202, undefined);
});
