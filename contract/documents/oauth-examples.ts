import { oauthClientId } from "../api/authorization-request.ts";
import { grantTypes } from "../api/oauth.ts";
import type { Routes } from "../api/routes.ts";
import { type Example, rawToken } from "./example-objects.ts";

const tokenSettings = { name: "laptop", scopes: ["publish", "projects"], expires_in_days: 30 } satisfies Omit<
  Example<Routes["createToken"]>["request"],
  "expires_at"
>;
const redirect_uri = "http://127.0.0.1:49152/";
const origin = "https://api.example";
const dashboard = "https://dashboard.example";
const code = "EXAMPLEqMeVZQm3BZrJk0Wn5kYc1sT7uXo2aLd8fHg4pRiE9";
const device_code = "EXAMPLE7Hc4dVnE2mYqWkTrPzS0bLx9uJgA6fQi1oR3tUeN5";

/** The examples of the OAuth routes. */
export const oauthExamples = {
  getAuthorizationServer: {
    response: {
      issuer: origin,
      authorization_endpoint: `${dashboard}/authorize`,
      device_authorization_endpoint: `${origin}/oauth/device_authorization`,
      token_endpoint: `${origin}/oauth/token`,
      revocation_endpoint: `${origin}/oauth/revoke`,
      scopes_supported: ["publish", "projects"],
      response_types_supported: ["code"],
      grant_types_supported: Object.values(grantTypes),
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["none"],
      revocation_endpoint_auth_methods_supported: ["none"],
      authorization_response_iss_parameter_supported: true,
    },
  },
  getProtectedResource: {
    response: {
      resource: origin,
      authorization_servers: [origin],
      scopes_supported: ["publish", "projects"],
      bearer_methods_supported: ["header"],
      jwks_uri: `${origin}/.well-known/jwks.json`,
    },
  },
  revokeTokenByForm: { request: { client_id: oauthClientId, token: rawToken } },
  requestDeviceCode: {
    request: { client_id: oauthClientId, scope: "publish", token_name: "build machine" },
    response: {
      device_code,
      user_code: "WDJB-MJHT",
      verification_uri: `${dashboard}/device`,
      verification_uri_complete: `${dashboard}/device?user_code=WDJB-MJHT`,
      expires_in: 600,
      interval: 5,
    },
  },
  exchangeGrant: {
    request: { grant_type: grantTypes.deviceCode, client_id: oauthClientId, device_code },
    response: { access_token: rawToken, token_type: "Bearer", expires_in: 7_776_000, scope: "publish" },
  },
  approveAuthorization: {
    request: {
      client_id: oauthClientId,
      redirect_uri,
      state: "af0ifjsldkj",
      code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
      code_challenge_method: "S256",
      ...tokenSettings,
    },
    response: { redirect_to: `${redirect_uri}?code=${code}&state=af0ifjsldkj&iss=${encodeURIComponent(origin)}` },
  },
  getDeviceRequest: {
    response: {
      token_name: "build machine",
      scopes: ["publish"],
      requested_at: "2026-11-22T08:00:00.000Z",
      expires_at: "2026-11-22T08:10:00.000Z",
    },
  },
  answerDeviceRequest: { request: { decision: "approve", ...tokenSettings } },
} satisfies { readonly [Name in keyof Routes]?: Example<Routes[Name]> };
