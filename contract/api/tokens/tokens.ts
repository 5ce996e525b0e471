import * as z from "zod/mini";
import { clientKinds, event } from "../accounts/accounts.ts";
import { limits } from "../limits.ts";
import { slug } from "../projects/projects.ts";
import { publisher } from "../projects/publishers.ts";
import {
  about,
  defineRoute,
  httpsUrl,
  line,
  listOf,
  nextCursor,
  pageQuery,
  pathParameter,
  time,
  unique,
  wholeNumber,
} from "../route.ts";
import { scopes } from "./scopes.ts";

/** The second test vector of SECURITY.md: it is nobody's token. */
export const exampleToken = "pat_0123456789ABCDEFGHIJKLabcdefghijklmnopqrstuvwxyzABCDEF1mg9uq";

export const scope = z.enum(scopes);

export const token = z.strictObject({
  id: about("The token's id.", z.string(), "54W7V3bYSTCAkjKudrQ3c0"),
  name: about("What its owner calls it.", z.string(), "CI"),
  scopes: about("What it may do.", z.array(scope)),
  projects: about(
    "The slugs of the only projects that it can act on; null: all of its owner's.",
    z.nullable(z.array(z.string())),
    ["star-hopper"],
  ),
  created_at: about("When it was created.", time),
  expires_at: about("When it expires.", time),
  revoked_at: about("When it was revoked; null while it is not.", z.nullable(time), null),
  status: about("Whether it works, or why not.", z.enum(["active", "revoked", "expired"])),
  last_used_at: about("When it was used last, to the hour; null for never.", z.nullable(time)),
  hint: about("The last four characters of the raw token.", z.string(), "g9uq"),
});

const rawToken = about("The raw token, which no later response has.", z.string(), exampleToken);

const tokenId = about("The token's id.", pathParameter, "54W7V3bYSTCAkjKudrQ3c0");

export const lastUsedBy = z.strictObject({
  client: about("The kind of client.", z.enum(clientKinds)),
  network: about(
    "24 bits of its IPv4 address or 48 of its IPv6 address; null if it was not known.",
    z.nullable(z.string()),
    "192.0.2.0/24",
  ),
});

const expiresInDays = wholeNumber(limits.tokenLifetimeDays);

/** Settings of a new token that a person decides, here and when they approve a command line (contract/api/login/oauth.ts). */
export const tokenSettings = {
  name: about("What its owner calls it.", line(limits.nameLength), "CI"),
  scopes: about("What it may do.", listOf(scope, scopes.length, "scope").check(...unique("a scope"))),
  projects: about(
    "The slugs of the only projects that it can act on; all of its owner's if this is null or left out.",
    z.optional(z.nullable(listOf(slug, limits.projectsPerToken, "project").check(...unique("a project")))),
    ["star-hopper"],
  ),
  expires_in_days: about(`${limits.defaultTokenLifetimeDays} if no expiry is given.`, z.optional(expiresInDays)),
};

export const createToken = defineRoute({
  method: "POST",
  path: "/tokens",
  summary: "Create a personal access token; only this response contains its raw value",
  tag: "Tokens",
  credential: "idToken",
  role: "dev",
  recentSignIn: true,
  idempotencyKey: true,
  body: z
    .strictObject({
      ...tokenSettings,
      expires_at: about(
        `When it expires, instead of \`expires_in_days\`: within ${limits.tokenLifetimeDays} days.`,
        z.optional(z.iso.datetime({ offset: true, error: "must be an RFC 3339 time" })),
      ),
    })
    .check(
      z.refine((body) => body.expires_at === undefined || body.expires_in_days === undefined, {
        path: ["expires_at"],
        error: "must not be sent together with expires_in_days",
      }),
      z.meta({
        not: { required: ["expires_at", "expires_in_days"], properties: { expires_at: {}, expires_in_days: {} } },
      }),
    ),
  responses: { 201: z.extend(token, { token: rawToken }) },
  errors: ["token_limit_reached", "too_many_creations"],
});

export const listTokens = defineRoute({
  method: "GET",
  otherMethods: ["POST", "DELETE"],
  path: "/tokens",
  summary: "The caller's personal access tokens, newest first within a page; none for an account of role `user`",
  tag: "Tokens",
  credential: "idToken",
  suspended: "allowed",
  query: z.extend(pageQuery, {
    status: about(
      "`active` lists the active ones alone, `inactive` those that were revoked or have expired; all if it is left out.",
      z.optional(z.enum(["active", "inactive"])),
    ),
  }),
  responses: { 200: z.strictObject({ tokens: about("A page of them.", z.array(token)), next_cursor: nextCursor }) },
  errors: ["invalid_cursor"],
});

export const getToken = defineRoute({
  method: "GET",
  otherMethods: ["DELETE"],
  path: "/tokens/:id",
  summary: "A personal access token and what it did: look at it before you revoke the token",
  tag: "Tokens",
  credential: "idToken",
  role: "dev",
  params: z.strictObject({ id: tokenId }),
  responses: {
    200: z.extend(token, {
      reach: about("The slugs of the projects that it can act on now.", z.array(z.string()), ["star-hopper"]),
      last_used_by: about("The client of its last recorded use; null if none is recorded.", z.nullable(lastUsedBy)),
      activity: about("The latest events that it caused or that happened to it, newest first.", z.array(event)),
      activity_complete: about("Whether these are all of them.", z.boolean(), true),
    }),
  },
  errors: ["token_not_found"],
});

export const revokeToken = defineRoute({
  method: "DELETE",
  path: "/tokens/:id",
  summary: "Revoke a personal access token: the next request with it gets 401",
  tag: "Tokens",
  credential: "idToken",
  suspended: "allowed",
  role: "dev",
  params: z.strictObject({ id: tokenId }),
  responses: { 204: null },
  errors: ["token_not_found"],
});

export const revokeCurrentToken = defineRoute({
  method: "DELETE",
  path: "/tokens/current",
  summary: "Revoke the personal access token that this request is sent with",
  tag: "Tokens",
  credential: "token",
  ciJobs: "allowed",
  suspended: "allowed",
  responses: { 204: null },
});

export const revokeTokens = defineRoute({
  method: "DELETE",
  path: "/tokens",
  summary: "Revoke all personal access tokens of the caller; CI jobs that it trusts can still publish",
  tag: "Tokens",
  credential: "idToken",
  suspended: "allowed",
  role: "dev",
  responses: {
    200: z.strictObject({
      revoked: about("How many this request revoked.", z.int(), 2),
      publishers: about(
        "The CI jobs that can still publish, or create a project: no token is stored for them, so each publisher must be deleted.",
        z.array(
          z.strictObject({
            project: about("The slug of the project.", z.string(), "star-hopper"),
            pending: about("Whether the project does not exist yet.", z.boolean()),
            publisher: about("Which jobs are trusted.", publisher),
          }),
        ),
      ),
    }),
  },
});

export const rotateToken = defineRoute({
  method: "POST",
  path: "/tokens/:id/replacement",
  summary:
    "Replace a token by one with the same name, scopes, projects and expiry; the old one expires after an overlap",
  tag: "Tokens",
  credential: "idToken",
  role: "dev",
  recentSignIn: true,
  idempotencyKey: true,
  params: z.strictObject({ id: tokenId }),
  body: z.strictObject({
    overlap_hours: about(
      "How long the old token goes on working, unless it expires earlier.",
      z._default(wholeNumber(limits.tokenOverlapHours), limits.defaultTokenOverlapHours),
    ),
    expires_in_days: about(
      "If it is left out, the new token expires when the old one would have without a replacement.",
      z.optional(expiresInDays),
    ),
  }),
  bodyOptional: true,
  responses: {
    201: z.extend(token, {
      token: rawToken,
      replaces: about(
        "The old token, with its new expiry.",
        z.strictObject({
          id: about("Its id.", z.string(), "3Ml5oW4TOHUAc6aodyj3wp"),
          expires_at: about("When it expires.", time),
        }),
      ),
    }),
  },
  errors: ["token_not_found", "token_not_active", "token_limit_reached", "too_many_creations"],
});

export const discloseTokens = defineRoute({
  method: "POST",
  path: "/tokens/disclosures",
  summary: "Hand in leaked tokens, which are revoked. The response does not tell whether they exist",
  tag: "Tokens",
  credential: "none",
  body: z.strictObject({
    tokens: about(
      "The leaked tokens.",
      z
        .array(
          z.strictObject({
            token: about("What was found.", z.string().check(z.maxLength(limits.urlLength)), exampleToken),
            found_at: about(
              "Where it was found.",
              z.optional(httpsUrl(limits.urlLength)),
              "https://forge.example/ada/game/commit/4f2a9c0",
            ),
          }),
        )
        .check(
          z.minLength(1, "must have an entry"),
          z.maxLength(limits.disclosedTokensPerCall, `must have at most ${limits.disclosedTokensPerCall} entries`),
        ),
    ),
  }),
  responses: { 202: null },
});
