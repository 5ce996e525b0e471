import * as contract from "../../contract/oauth.ts";
import { exchange } from "../domain/login/authorization-requests.ts";
import { tokenResponseView } from "../http/oauth-views.ts";
import { response } from "../http/response.ts";
import { serveForm } from "../http/serve-form.ts";

export const handler = serveForm(contract.exchangeGrant, async ({ body, receivedAt }) => {
  const exchanged = await exchange(
    {
      grantType: body.grant_type,
      code: body.code,
      redirectUri: body.redirect_uri,
      verifier: body.code_verifier,
      deviceCode: body.device_code,
    },
    receivedAt,
  );
  return response(200, tokenResponseView(exchanged, receivedAt));
});
