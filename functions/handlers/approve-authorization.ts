import { authorizationResponseUrl } from "../../contract/api/login/authorization-request.ts";
import * as contract from "../../contract/api/login/oauth.ts";
import { approveAuthorization } from "../domain/login/authorization-codes.ts";
import { apiOriginOf } from "../http/api-origin.ts";
import { approvalOf } from "../http/oauth-views.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(contract.approveAuthorization, async ({ caller, body, headers, receivedAt }) => {
  const { redirect_uri: redirectUri, code_challenge: codeChallenge, state } = body;
  const request = { redirectUri, codeChallenge, approval: approvalOf(body) };
  const code = await approveAuthorization(caller.account, request, receivedAt);
  return response(200, {
    redirect_to: authorizationResponseUrl({ redirectUri, state }, { code }, apiOriginOf(headers)),
  });
});
