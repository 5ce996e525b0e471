import * as contract from "../../contract/api/tokens.ts";
import { revokeDisclosed } from "../domain/tokens/disclosures.ts";
import { foundTokens, reporterOf } from "../http/disclosure.ts";
import { response } from "../http/response.ts";
import { serveOpen } from "../http/serve-open.ts";

export const handler = serveOpen(contract.discloseTokens, async ({ body, rawBody, headers, receivedAt }) => {
  const reportedBy = await reporterOf(headers, rawBody);
  await revokeDisclosed(foundTokens(body), reportedBy, receivedAt);
  return response(202, undefined);
});
