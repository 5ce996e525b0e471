import * as z from "zod/mini";
import { hasEmailForm } from "./email-form.ts";
import { limits } from "./limits.ts";
import { defineRoute, httpsUrl, line, pageQuery, pathParameter, text, time } from "./route.ts";

const role = z.enum(["user", "dev"]);

const user = z.strictObject({
  uid: z.string(),
  name: z.string(),
  avatar: z.nullable(z.string()),
  email: z.nullable(z.string()),
  /** Whether the identity provider has verified the email address. */
  email_verified: z.boolean(),
  role,
  created_at: time,
});

/** Null for an account whose role is `user`. */
const developer = z.nullable(
  z.strictObject({
    display_name: z.nullable(z.string()),
    bio: z.nullable(z.string()),
    created_at: time,
  }),
);

export const account = z.strictObject({ user, developer });

/** Why the operator has suspended an account or a project. */
export const suspensionReason = z.enum([
  "phishing",
  "malware",
  "illegal_content",
  "copyright",
  "spam",
  "stolen_account",
  "legal_request",
  "other",
]);

export const suspension = z.strictObject({ at: time, reason: suspensionReason });

/** Bytes, and the objects of the store that hold them. */
export const amount = z.strictObject({ bytes: z.int(), objects: z.int() });

/** What is counted of all projects of an account. A deleted project counts until nothing of it is stored. */
const storage = z.extend(amount, {
  limit: amount,
  /** The limits of each project. */
  project_limit: amount,
});

const auth = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("session") }),
  z.strictObject({
    kind: z.literal("token"),
    token_id: z.string(),
    name: z.string(),
    scopes: z.array(z.string()),
    projects: z.nullable(z.array(z.string())),
    expires_at: time,
  }),
]);

const publicName = line(limits.nameLength).check(
  z.refine((name) => !hasEmailForm(name), "must not contain an email address: names are public"),
);

export const createSession = defineRoute({
  method: "POST",
  path: "/auth/session",
  summary: "Sign in: create the account, upgrade it to developer, or refresh its email address",
  tag: "Accounts",
  credential: "idToken",
  account: "optional",
  body: z.strictObject({ role: z.optional(role) }),
  bodyOptional: true,
  responses: { 200: account, 201: account },
  errors: ["account_erasure_unfinished"],
});

export const getMe = defineRoute({
  method: "GET",
  otherMethods: ["PATCH", "DELETE"],
  path: "/me",
  summary: "The caller's account, and whether a session or a token authenticated the request",
  tag: "Accounts",
  credential: "any",
  suspended: "allowed",
  storage: true,
  responses: {
    200: z.strictObject({
      user,
      developer,
      auth,
      /** Null unless the operator has suspended the account: since when, and why. */
      suspension: z.nullable(suspension),
      storage,
    }),
  },
});

export const updateMe = defineRoute({
  method: "PATCH",
  path: "/me",
  summary: "Edit the profile; display_name and bio need a developer account",
  tag: "Accounts",
  credential: "idToken",
  body: z.strictObject({
    name: z.optional(publicName),
    avatar: z.optional(z.nullable(httpsUrl(limits.urlLength))),
    display_name: z.optional(z.nullable(publicName)),
    bio: z.optional(z.nullable(text(limits.bioLength))),
  }),
  responses: { 200: account },
  errors: ["developer_required"],
});

export const deleteMe = defineRoute({
  method: "DELETE",
  path: "/me",
  summary:
    "Delete the account with all that is stored about its person, and end its tokens; refused while it has projects",
  tag: "Accounts",
  credential: "idToken",
  account: "optional",
  recentSignIn: "always",
  responses: { 204: null },
  errors: ["account_required", "projects_left"],
});

export const eventType = z.enum([
  "account_created",
  "role_upgraded",
  "account_suspended",
  "account_reinstated",
  "token_created",
  "token_first_used",
  "token_used_from_new_network",
  "token_rotated",
  "token_disclosed",
  "token_revoked",
  "project_created",
  "project_deleted",
  "project_restored",
  "project_offered",
  "project_handed_over",
  "project_received",
  "project_suspended",
  "project_reinstated",
  "release_published",
  "release_unpublished",
  "release_withdrawn",
]);

export const event = z.strictObject({
  id: z.string(),
  type: eventType,
  at: time,
  /** The token that the event happened to, or that caused it; absent where an ID token caused it. */
  token_id: z.optional(z.string()),
  /** The project and the release that the event happened to. */
  project: z.optional(z.string()),
  release_id: z.optional(z.string()),
  /**
   * Only for the first use of a token and a use from a new network: 24 bits of an IPv4 address or 48 of an IPv6
   * address.
   */
  network: z.optional(z.string()),
  /** Only for a disclosed token: the URL where it was found, and who reported it, where a signature proved that. */
  found_at: z.optional(z.string()),
  reported_by: z.optional(z.literal("github")),
  /** Only for a suspension: its reason. */
  reason: z.optional(suspensionReason),
});

export const listEvents = defineRoute({
  method: "GET",
  path: "/me/events",
  summary: "What happened to the account, newest first",
  tag: "Accounts",
  credential: "idToken",
  query: pageQuery,
  responses: {
    200: z.strictObject({
      events: z.array(event),
      next_cursor: z.nullable(z.string()),
    }),
  },
  errors: ["invalid_cursor"],
});

export const publicProfile = z.strictObject({
  uid: z.string(),
  name: z.string(),
  avatar: z.nullable(z.string()),
  display_name: z.nullable(z.string()),
  bio: z.nullable(z.string()),
});

export const findUser = defineRoute({
  method: "GET",
  path: "/users",
  summary: "The public profile of a user, whatever characters the uid has (`?uid=`)",
  tag: "Accounts",
  credential: "none",
  query: z.strictObject({ uid: pathParameter }),
  responses: { 200: publicProfile },
  errors: ["user_not_found"],
});

export const getUser = defineRoute({
  method: "GET",
  path: "/users/:uid",
  summary: "The public profile of a user; `GET /users?uid=` takes a uid with `/`, `%` or `?` too",
  tag: "Accounts",
  credential: "none",
  params: z.strictObject({ uid: pathParameter }),
  responses: { 200: publicProfile },
  errors: ["user_not_found"],
});
