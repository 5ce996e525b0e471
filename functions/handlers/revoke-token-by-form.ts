import * as contract from "../../contract/api/login/oauth.ts";
import { revokeFound } from "../domain/tokens/disclosures.ts";
import { response } from "../http/response.ts";
import { serveForm } from "../http/serve-form.ts";

export const handler = serveForm(contract.revokeTokenByForm, async ({ body, receivedAt }) => {
  await revokeFound(body.token, receivedAt);
  return response(200, undefined);
});
