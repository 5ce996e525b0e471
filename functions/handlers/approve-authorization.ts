import * as contract from "../../contract/oauth.ts";
import { approveAuthorization } from "../domain/login/authorization-codes.ts";
import { approvalOf, originOf } from "../http/oauth-views.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(contract.approveAuthorization, async ({ caller, body, headers, receivedAt }) => {
  const { redirect_uri: redirectUri, code_challenge: codeChallenge, state } = body;
  const request = { redirectUri, codeChallenge, approval: approvalOf(body) };
  const code = await approveAuthorization(caller.account, request, receivedAt);
  const redirect = new URL(redirectUri);
  redirect.searchParams.set("code", code);
  if (state !== undefined) redirect.searchParams.set("state", state);
  // Tells the client whose code it is (RFC 9207).
  redirect.searchParams.set("iss", originOf(headers));
  return response(201, { redirect_to: redirect.href });
});
