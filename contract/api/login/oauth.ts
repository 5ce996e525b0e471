import * as z from "zod/mini";
import { limits } from "../limits.ts";
import { about, defineRoute, line, pathParameter, time } from "../route.ts";
import { exampleToken, scope, tokenSettings } from "../tokens/tokens.ts";
import {
  codeChallengePattern,
  isLoopbackRedirect,
  loopbackRedirectPattern,
  oauthClientId,
} from "./authorization-request.ts";
import { grantTypes } from "./oauth-metadata.ts";

/*
 * svc as the OAuth 2.0 authorization server of its own personal access tokens: a person approves on the dashboard, with
 * an ID token, what a command line asks for. The two routes that clients post to take forms and respond with OAuth's
 * errors (RFC 6749, section 5.2).
 */

/** Names that a subject token's type can have (RFC 8693, section 3). */
const identityTokenTypes = [
  "urn:ietf:params:oauth:token-type:id_token",
  "urn:ietf:params:oauth:token-type:jwt",
] as const;

/** Paths of the dashboard where a person approves. */
export const approvalPaths = { authorization: "/authorize", device: "/device" } as const;

/** The body of an error of a route that takes a form. */
export const oauthError = z.strictObject({
  error: about("What programs match on.", z.string(), "authorization_pending"),
  error_description: about(
    "What happened and what to do next, for people.",
    z.string(),
    "The person has not answered yet. Ask again after the interval.",
  ),
  needs: about(
    "What lets a CI job in: a trusted publisher that matches it, or another identity token, because this one was exchanged before.",
    z.optional(z.enum(["publisher", "identity_token"])),
  ),
});

const formClientId = about(
  `\`${oauthClientId}\`. Left out if HTTP Basic names it, with an empty password (RFC 6749, section 2.3.1).`,
  z.optional(z.string()),
  oauthClientId,
);

const challengeMethod = z.literal("S256", "must be S256");

const loopbackRedirect = z
  .string()
  .check(
    z.refine(isLoopbackRedirect, "must be an http URL of 127.0.0.1 or [::1] without a fragment"),
    z.meta({ maxLength: limits.urlLength, pattern: loopbackRedirectPattern.source }),
  );

export const revokeTokenByForm = defineRoute({
  method: "POST",
  path: "/oauth/revoke",
  summary: "Revoke the personal access token in the form (RFC 7009). The response does not tell whether it exists",
  tag: "Approvals",
  credential: "none",
  form: true,
  body: z.object({
    client_id: formClientId,
    token: about("The raw token.", z.string().check(z.maxLength(256)), exampleToken),
    token_type_hint: about("Ignored: there is only one type.", z.optional(z.string())),
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
    scope: about("Separated by spaces; `publish` if it is left out.", z.optional(z.string()), "publish"),
    token_name: about(
      "What the token is called unless the person changes it.",
      z.optional(line(limits.nameLength)),
      "build machine",
    ),
    resource: about(
      "URL of the only project that the token can act on unless the person changes it: the API's origin with `/projects/:slug`. Another resource is ignored.",
      z.optional(z.string().check(z.maxLength(limits.urlLength))),
      "https://api.example/projects/star-hopper",
    ),
  }),
  responses: {
    200: z.strictObject({
      device_code: about(
        "Exchanged at the token endpoint when the person has approved. It is a secret.",
        z.string(),
        "EXAMPLE7Hc4dVnE2mYqWkTrPzS0bLx9uJgA6fQi1oR3tUeN5",
      ),
      user_code: about("What the person types.", z.string(), "WDJB-MJHT"),
      verification_uri: about("Where the person types it.", z.string(), "https://dashboard.example/device"),
      verification_uri_complete: about(
        "The same with the code in it.",
        z.string(),
        "https://dashboard.example/device?user_code=WDJB-MJHT",
      ),
      expires_in: about("Seconds until both codes expire.", z.int(), 600),
      interval: about("The fewest seconds between two requests to the token endpoint.", z.int(), 5),
    }),
  },
  errors: ["invalid_scope", "unauthorized_client"],
});

export const exchangeGrant = defineRoute({
  method: "POST",
  path: "/oauth/token",
  summary:
    "Exchange an approved authorization code, a device code or the identity token of a CI job for a personal access token, once",
  details: `The identity token of a CI job (RFC 8693) must have the API's origin as its only audience, and match a trusted publisher of the project. The token that it is exchanged for is valid for ${limits.jobTokenSeconds / 60} minutes, has the scope that the publisher gives its jobs, \`preview\` or \`publish\`, and acts on that project alone.`,
  tag: "Approvals",
  credential: "none",
  form: true,
  body: z.object({
    grant_type: about("One of those that the metadata lists.", z.string(), grantTypes.deviceCode),
    client_id: formClientId,
    code: about("With `authorization_code`.", z.optional(z.string().check(z.maxLength(256)))),
    redirect_uri: about("With `authorization_code`: that of the authorization request.", z.optional(z.string())),
    code_verifier: about(
      "With `authorization_code` (RFC 7636).",
      z.optional(z.string().check(z.regex(/^[\w.~-]{43,128}$/, "must be a code verifier (RFC 7636, section 4.1)"))),
    ),
    device_code: about(
      "With `urn:ietf:params:oauth:grant-type:device_code`.",
      z.optional(z.string().check(z.maxLength(256))),
      "EXAMPLE7Hc4dVnE2mYqWkTrPzS0bLx9uJgA6fQi1oR3tUeN5",
    ),
    subject_token: about(
      "With `urn:ietf:params:oauth:grant-type:token-exchange`: the identity token of the CI job.",
      z.optional(z.string()),
    ),
    subject_token_type: about("With `subject_token`: what it is.", z.optional(z.enum(identityTokenTypes))),
    resource: about(
      "With `subject_token`: the project's URL, the API's origin with `/projects/:slug`.",
      z.optional(z.string().check(z.maxLength(limits.urlLength))),
    ),
    owner: about(
      "With `subject_token`: the uid of the account that must own the project. A job must name it until a release of the project has come from its repository: anybody may take a slug and trust the repository.",
      z.optional(z.string().check(z.minLength(1), z.maxLength(limits.uidLength))),
      "6f9b2c1e",
    ),
    scope: about(
      "With `subject_token`: `preview` or `publish`; if it is left out, the most that a publisher of the project gives the job.",
      z.optional(z.string()),
    ),
  }),
  responses: {
    200: z.strictObject({
      access_token: about("A personal access token.", z.string(), exampleToken),
      issued_token_type: about(
        "For a `subject_token` alone (RFC 8693, section 2.2.1).",
        z.optional(z.literal("urn:ietf:params:oauth:token-type:access_token")),
      ),
      token_type: about("How it is sent.", z.literal("Bearer")),
      expires_in: about("Seconds until it expires.", z.int(), 7_776_000),
      scope: about("What it may do, separated by spaces.", z.string(), "publish"),
      owner: about(
        "For a `subject_token` alone: whose project it is.",
        z.optional(
          z.strictObject({
            uid: about("The account's uid.", z.string(), "6f9b2c1e"),
            name: about("What the person is called.", z.string(), "Ada Lovelace"),
          }),
        ),
      ),
    }),
  },
  errors: [
    "access_denied",
    "authorization_pending",
    "expired_token",
    "identity_provider_unavailable",
    "invalid_grant",
    "invalid_scope",
    "invalid_target",
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
    client_id: about("The one client.", z.literal(oauthClientId)),
    redirect_uri: about(
      "Where the client on this machine waits for the code.",
      loopbackRedirect,
      "http://127.0.0.1:49152/",
    ),
    state: about(
      "Comes back with the code.",
      z.optional(z.string().check(z.maxLength(limits.stateLength))),
      "af0ifjsldkj",
    ),
    code_challenge: about(
      "The hash of the client's verifier (RFC 7636).",
      z.string().check(z.regex(codeChallengePattern, "must be a code challenge (RFC 7636, section 4.2)")),
      "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    ),
    code_challenge_method: about("How it was made.", challengeMethod),
    ...tokenSettings,
  }),
  responses: {
    200: z.strictObject({
      redirect_to: about(
        "The URL that takes the code to the client.",
        z.string(),
        "http://127.0.0.1:49152/?code=EXAMPLEqMeVZQm3BZrJk0Wn5kYc1sT7uXo2aLd8fHg4pRiE9&state=af0ifjsldkj&iss=https%3A%2F%2Fapi.example",
      ),
    }),
  },
});

const deviceParams = z.strictObject({
  user_code: about("The code that the machine shows.", pathParameter, "WDJB-MJHT"),
});

export const getDeviceRequest = defineRoute({
  method: "GET",
  otherMethods: ["POST"],
  path: "/oauth/device/:user_code",
  summary: "What the machine that shows this code asks for",
  tag: "Approvals",
  credential: "idToken",
  role: "dev",
  params: deviceParams,
  responses: {
    200: z.strictObject({
      token_name: about(
        "What the machine would call the token; null if it did not say.",
        z.nullable(z.string()),
        "build machine",
      ),
      scopes: about("What it asks for.", z.array(scope)),
      project: about(
        "Slug of the only project that it asks for; null if it names none.",
        z.nullable(z.string()),
        "star-hopper",
      ),
      requested_at: about("When it asked.", time),
      expires_at: about("When its code expires.", time),
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
  idempotencyKey: true,
  params: deviceParams,
  body: z.discriminatedUnion("decision", [
    z.strictObject({ decision: about("The machine gets a token.", z.literal("approve")), ...tokenSettings }),
    z.strictObject({ decision: about("The machine gets none.", z.literal("deny")) }),
  ]),
  responses: { 204: null },
  errors: ["device_request_not_found", "too_many_guesses"],
});
