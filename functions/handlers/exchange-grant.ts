import { exchangeGrant } from "../../contract/api/login/oauth.ts";
import { grantTypes } from "../../contract/api/login/oauth-metadata.ts";
import { exchange } from "../domain/login/authorization-requests.ts";
import { exchangeJobIdentity } from "../domain/publishers/exchange.ts";
import { apiOriginOf } from "../http/api-origin.ts";
import { readJobExchange } from "../http/job-exchange.ts";
import { jobTokenResponseView, tokenResponseView } from "../http/oauth-views.ts";
import { response } from "../http/response.ts";
import { serveForm } from "../http/serve-form.ts";

export const handler = serveForm(exchangeGrant, async ({ body, headers, receivedAt }) => {
  if (body.grant_type === grantTypes.tokenExchange) {
    const request = await readJobExchange(body, apiOriginOf(headers));
    return response(200, jobTokenResponseView(await exchangeJobIdentity(request, receivedAt), receivedAt));
  }
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
