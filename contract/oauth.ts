import * as z from "zod/mini";
import { codeChallengePattern, isLoopbackRedirect, oauthClientId } from "./authorization-request.ts";
import { limits } from "./limits.ts";
import { defineRoute, line, pathParameter, time } from "./route.ts";
import { scope, tokenSettings } from "./tokens.ts";

/*
 * svc as the OAuth 2.0 authorization server of its own personal access tokens: a person approves on the dashboard, with
 * an ID token, what a command line asks for. The two routes that clients post to take forms and respond with OAuth's
 * errors (RFC 6749, section 5.2).
 */

/** Where svc's own clients find the rest (RFC 8414, section 3). */
const metadataPath = "/.well-known/oauth-authorization-server";

export const grantTypes = {
  authorizationCode: "authorization_code",
  deviceCode: "urn:ietf:params:oauth:grant-type:device_code",
} as const;

/** Paths of the dashboard where a person approves. */
export const approvalPaths = { authorization: "/authorize", device: "/device" } as const;

/** The body of an error of a route that takes a form. */
export const oauthError = z.strictObject({ error: z.string(), error_description: z.string() });

/** Left out where HTTP Basic names the client, with an empty password (RFC 6749, section 2.3.1). */
const formClientId = z.optional(z.string());

const challengeMethod = z.literal("S256", "must be S256");

const loopbackRedirect = z
  .string()
  .check(z.refine(isLoopbackRedirect, "must be an http URL of 127.0.0.1 or [::1] without a fragment"));

export const getAuthorizationServer = defineRoute({
  method: "GET",
  path: metadataPath,
  summary: "Where and how command lines get tokens (RFC 8414)",
  tag: "Approvals",
  credential: "none",
  responses: {
    200: z.strictObject({
      issuer: z.string(),
      /** The three are absent where the stage has no dashboard. */
      authorization_endpoint: z.optional(z.string()),
      device_authorization_endpoint: z.optional(z.string()),
      token_endpoint: z.optional(z.string()),
      revocation_endpoint: z.string(),
      scopes_supported: z.array(z.string()),
      response_types_supported: z.array(z.string()),
      grant_types_supported: z.array(z.string()),
      code_challenge_methods_supported: z.array(z.string()),
      token_endpoint_auth_methods_supported: z.array(z.string()),
      revocation_endpoint_auth_methods_supported: z.array(z.string()),
      authorization_response_iss_parameter_supported: z.boolean(),
    }),
  },
});

export const getProtectedResource = defineRoute({
  method: "GET",
  path: "/.well-known/oauth-protected-resource",
  summary: "What the API accepts, and from which authorization server (RFC 9728)",
  tag: "Approvals",
  credential: "none",
  responses: {
    200: z.strictObject({
      resource: z.string(),
      authorization_servers: z.array(z.string()),
      scopes_supported: z.array(z.string()),
      bearer_methods_supported: z.array(z.string()),
    }),
  },
});

export const revokeTokenByForm = defineRoute({
  method: "POST",
  path: "/oauth/revoke",
  summary: "Revoke the personal access token in the form (RFC 7009). The response does not tell whether it exists",
  tag: "Approvals",
  credential: "none",
  form: true,
  body: z.object({
    client_id: formClientId,
    token: z.string().check(z.maxLength(256)),
    token_type_hint: z.optional(z.string()),
  }),
  responses: { 200: null },
});

export const requestDeviceCode = defineRoute({
  method: "POST",
  path: "/oauth/device_authorization",
  summary: "Begin the sign-in of a machine without a browser (RFC 8628)",
  tag: "Approvals",
  credential: "none",
  form: true,
  body: z.object({
    client_id: formClientId,
    /** Separated by spaces; `publish` where it is left out. */
    scope: z.optional(z.string()),
    /** What the token is called unless the person changes it. */
    token_name: z.optional(line(limits.nameLength)),
  }),
  responses: {
    200: z.strictObject({
      device_code: z.string(),
      user_code: z.string(),
      verification_uri: z.string(),
      verification_uri_complete: z.string(),
      expires_in: z.int(),
      interval: z.int(),
    }),
  },
  errors: ["invalid_scope", "unauthorized_client"],
});

export const exchangeGrant = defineRoute({
  method: "POST",
  path: "/oauth/token",
  summary: "Exchange an approved authorization code or device code for a personal access token, once",
  tag: "Approvals",
  credential: "none",
  form: true,
  body: z.object({
    grant_type: z.string(),
    client_id: formClientId,
    /** With `authorization_code`. */
    code: z.optional(z.string().check(z.maxLength(256))),
    redirect_uri: z.optional(z.string()),
    code_verifier: z.optional(
      z.string().check(z.regex(/^[\w.~-]{43,128}$/, "must be a code verifier (RFC 7636, section 4.1)")),
    ),
    /** With `urn:ietf:params:oauth:grant-type:device_code`. */
    device_code: z.optional(z.string().check(z.maxLength(256))),
  }),
  responses: {
    200: z.strictObject({
      access_token: z.string(),
      token_type: z.literal("Bearer"),
      expires_in: z.int(),
      scope: z.string(),
    }),
  },
  errors: [
    "access_denied",
    "authorization_pending",
    "expired_token",
    "invalid_grant",
    "slow_down",
    "unsupported_grant_type",
  ],
});

export const approveAuthorization = defineRoute({
  method: "POST",
  path: "/oauth/approvals",
  summary: "Approve what a command line on this machine asks for; the response says where to send the browser",
  tag: "Approvals",
  credential: "idToken",
  role: "dev",
  recentSignIn: true,
  body: z.strictObject({
    client_id: z.literal(oauthClientId),
    redirect_uri: loopbackRedirect,
    state: z.optional(z.string().check(z.maxLength(limits.stateLength))),
    code_challenge: z.string().check(z.regex(codeChallengePattern, "must be a code challenge (RFC 7636, section 4.2)")),
    code_challenge_method: challengeMethod,
    ...tokenSettings,
  }),
  responses: { 200: z.strictObject({ redirect_to: z.string() }) },
});

export const getDeviceRequest = defineRoute({
  method: "GET",
  otherMethods: ["POST"],
  path: "/oauth/device/:user_code",
  summary: "What the machine that shows this code asks for",
  tag: "Approvals",
  credential: "idToken",
  role: "dev",
  params: z.strictObject({ user_code: pathParameter }),
  responses: {
    200: z.strictObject({
      token_name: z.nullable(z.string()),
      scopes: z.array(scope),
      requested_at: time,
      expires_at: time,
    }),
  },
  errors: ["device_request_not_found", "too_many_guesses"],
});

export const answerDeviceRequest = defineRoute({
  method: "POST",
  path: "/oauth/device/:user_code",
  summary: "Approve or deny what the machine that shows this code asks for",
  tag: "Approvals",
  credential: "idToken",
  role: "dev",
  recentSignIn: true,
  params: z.strictObject({ user_code: pathParameter }),
  body: z.discriminatedUnion("decision", [
    z.strictObject({ decision: z.literal("approve"), ...tokenSettings }),
    z.strictObject({ decision: z.literal("deny") }),
  ]),
  responses: { 204: null },
  errors: ["device_request_not_found", "too_many_guesses"],
});
