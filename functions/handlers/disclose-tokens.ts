import { camelKeys } from "../../contract/api/camel-keys.ts";
import * as contract from "../../contract/api/tokens.ts";
import { revokeDisclosed } from "../domain/tokens/disclosures.ts";
import { response } from "../http/response.ts";
import { serveOpen } from "../http/serve-open.ts";

export const handler = serveOpen(contract.discloseTokens, async ({ body, receivedAt }) => {
  await revokeDisclosed(body.tokens.map(camelKeys), receivedAt);
  return response(202, undefined);
});
