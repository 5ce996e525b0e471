import * as z from "zod/mini";
import { limits } from "../limits.ts";
import {
  about,
  defineRoute,
  type EditsOf,
  httpsUrl,
  line,
  nextCursor,
  pageQuery,
  pathParameter,
  text,
  time,
} from "../route.ts";
import { hasEmailForm } from "./email-form.ts";

const role = z.enum(["user", "dev"]);

/*
 * The editable fields of a profile, which are public: a user's, and those of developers alone. Responses have each of them, and
 * PATCH /me takes each of them (`userEdits` and `developerEdits`, below). A field in one list alone does not compile.
 */
const userFields = {
  name: about("The public name.", z.string(), "Ada"),
  avatar: about("The URL of a picture, which is public.", z.nullable(z.string()), "https://images.example/ada.png"),
};
const developerFields = {
  display_name: about("The public name of the developer.", z.nullable(z.string()), "Ada's Games"),
  bio: about("A public text about the developer.", z.nullable(z.string()), null),
};

/** Fields of a user that nobody else sees, and that every user may edit: each is also in `privateEdits`. */
const privateFields = {
  release_mails: about("Whether the person gets mails when releases of their projects change.", z.boolean(), true),
};

const user = z.strictObject({
  uid: about("The `sub` of the person's ID tokens.", z.string(), "6f9b2c1e"),
  ...userFields,
  ...privateFields,
  email: about("The email address of the ID token, which nobody else sees.", z.nullable(z.string()), "ada@example.com"),
  email_verified: about("Whether the identity provider has verified the email address.", z.boolean(), true),
  role: about("`dev` can create projects and tokens.", role),
  created_at: about("When the account was created.", time),
});

/** Null for an account whose role is `user`. */
const developer = z.nullable(
  z.strictObject({
    ...developerFields,
    created_at: about("Since when the account is a developer's.", time),
  }),
);

export const account = z.strictObject({
  user: about("The person.", user),
  developer: about("Null for an account whose role is `user`.", developer),
});

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

export const suspension = z.strictObject({
  at: about("Since when.", time),
  reason: about("Why.", suspensionReason),
});

export const amount = z.strictObject({
  bytes: about("Bytes.", z.int(), 84_302),
  objects: about("Objects of the store that hold them.", z.int(), 9),
});

/** Amounts counted for all projects of an account. A deleted project counts until nothing of it is stored. */
const storage = z.extend(amount, {
  limit: about("How much all projects of the account may have.", amount),
  project_limit: about("How much each project may have.", amount),
});

const auth = z.discriminatedUnion("kind", [
  z.strictObject({ kind: about("An ID token.", z.literal("session")) }),
  z.strictObject({
    kind: about("A personal access token.", z.literal("token")),
    token_id: about("Its id.", z.string(), "54W7V3bYSTCAkjKudrQ3c0"),
    name: about("Its name.", z.string(), "CI"),
    scopes: about("What it may do.", z.array(z.string()), ["publish"]),
    projects: about(
      "The slugs of the only projects that it can act on; null: all of its owner's.",
      z.nullable(z.array(z.string())),
      ["star-hopper"],
    ),
    expires_at: about("When it expires.", time),
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
  body: z.strictObject({
    role: about(
      "`dev` makes the account a developer's, or asks the operator if the service approves developers. `user` changes nothing.",
      z.optional(role),
    ),
  }),
  bodyOptional: true,
  responses: { 200: account, 201: account },
  errors: ["account_erasure_unfinished", "developer_not_allowed", "developer_approval_pending"],
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
      user: about("The person.", user),
      developer: about("Null for an account whose role is `user`.", developer),
      auth: about("What authenticated this request.", auth),
      suspension: about("Null unless the operator has suspended the account.", z.nullable(suspension), null),
      storage: about("What counts for the account. A deleted project counts until nothing of it is stored.", storage),
    }),
    304: null,
  },
  errors: ["project_not_in_token"],
});

/** Fields that every user may edit. */
export const userEdits = {
  name: about("The public name.", z.optional(publicName), "Ada"),
  avatar: about(
    "An https URL of a picture, or null for none.",
    z.optional(z.nullable(httpsUrl(limits.urlLength))),
    "https://images.example/ada.png",
  ),
} satisfies EditsOf<typeof userFields>;

/** The same, which nobody else sees. */
export const privateEdits = {
  release_mails: about("Whether mails come when releases of the person's projects change.", z.optional(z.boolean())),
} satisfies EditsOf<typeof privateFields>;

/** Fields that only a developer may edit. */
const developerEdits = {
  display_name: about("The public name of the developer.", z.optional(z.nullable(publicName)), "Ada's Games"),
  bio: about("A public text about the developer.", z.optional(z.nullable(text(limits.bioLength))), null),
} satisfies EditsOf<typeof developerFields>;

export const updateMe = defineRoute({
  method: "PATCH",
  path: "/me",
  summary: "Edit the profile; display_name and bio need a developer account",
  tag: "Accounts",
  credential: "idToken",
  storage: true,
  preconditions: true,
  body: z.strictObject({ ...userEdits, ...privateEdits, ...developerEdits }),
  responses: { 200: account },
  errors: ["developer_required"],
});

export const deleteMe = defineRoute({
  method: "DELETE",
  path: "/me",
  summary:
    "Delete the account with all that is stored about its person, and revoke its tokens; refused while it has projects",
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
  "developer_requested",
  "developer_approved",
  "account_suspended",
  "account_reinstated",
  "token_created",
  "token_first_used",
  "token_used_from_new_network",
  "token_rotated",
  "token_disclosed",
  "token_revoked",
  "token_refused",
  "token_taken_again",
  "project_created",
  "project_deleted",
  "project_restored",
  "project_edited",
  "project_handed_over",
  "project_received",
  "project_suspended",
  "project_reinstated",
  "invitation_created",
  "invitation_deleted",
  "member_added",
  "member_removed",
  "member_role_changed",
  "team_member_added",
  "team_member_removed",
  "publisher_added",
  "publisher_removed",
  "token_exchanged",
  "preview_opened",
  "person_required",
  "person_no_longer_required",
  "release_waiting",
  "release_published",
  "release_unpublished",
  "release_withdrawn",
  "release_edited",
  "release_scheduled",
  "schedule_cancelled",
  "schedule_ended",
]);

/** Kinds of programs that send a token: the command line, a page, or another one. */
export const clientKinds = ["svc", "browser", "other"] as const;

/** How a release goes live: for the first time, for the first time after a preview of it, or again. */
export const publicationAct = z.enum(["publication", "promotion", "roll_back"]);

/** Why a release does not go live at the time for which it was scheduled, if nobody cancelled it. */
export const scheduleEnd = z.enum([
  "another_release_live",
  "taken_offline",
  "release_deleted",
  "release_incomplete",
  "right_ended",
  "person_required",
  "project_suspended",
  "too_late",
  "table_restored",
]);

/** Fields that an event has both in the history of an account and in the history of a project. */
export const eventFields = {
  id: about("Ids sort by time.", z.string(), "00VbbLeVeNRmLb04o1YaMd"),
  type: about("What happened.", eventType, "release_published"),
  at: about("When.", time),
  token_id: about(
    "The token that the event happened to, or that caused it; absent if an ID token caused it.",
    z.optional(z.string()),
    "54W7V3bYSTCAkjKudrQ3c0",
  ),
  release_id: about("The release that it happened to.", z.optional(z.string()), "00VbbL3M8vSKHg8rDkhym8"),
  act: about(
    "For a release that went live: for the first time, for the first time after a preview of it, or again.",
    z.optional(publicationAct),
  ),
  release_number: about("The release's number, if it was live by then.", z.optional(z.int()), 3),
  message: about("The release's message.", z.optional(z.string()), "Faster loading"),
  commit: about("The commit of the CI job that did it, or else the one that the client named.", z.optional(z.string())),
  run_url: about("The run of the CI job that did it.", z.optional(z.string())),
  token_name: about(
    "What the token that was used was called, for an event of a release; or the one that a project refused or took again.",
    z.optional(z.string()),
    "CI",
  ),
  scheduled_for: about("For a release that was scheduled: when it goes live.", z.optional(time)),
  schedule_end: about(
    "For a schedule that ended, which nobody cancelled: why. `right_ended`: whoever scheduled it may not publish any more; `person_required`: since then a person makes live; `too_late`: the service could not do it in time.",
    z.optional(scheduleEnd),
  ),
  client: about(
    "The kind of client that used the token, for an event of a release.",
    z.optional(z.enum(clientKinds)),
    "svc",
  ),
  publisher_id: about("The trusted publisher that it happened to.", z.optional(z.string())),
  reason: about("For a suspension: its reason.", z.optional(suspensionReason)),
};

export const event = z.strictObject({
  ...eventFields,
  project: about("The slug of the project that it happened to.", z.optional(z.string()), "star-hopper"),
  network: about(
    "For the first use of a token and a use from a new network: 24 bits of an IPv4 address or 48 of an IPv6 address.",
    z.optional(z.string()),
  ),
  found_at: about("For a disclosed token: the URL where it was found.", z.optional(z.string())),
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
      events: about("Newest first.", z.array(event)),
      next_cursor: nextCursor,
    }),
  },
  errors: ["invalid_cursor"],
});

export const publicProfile = z.strictObject({
  uid: about("The `sub` of the person's ID tokens.", z.string(), "6f9b2c1e"),
  ...userFields,
  ...developerFields,
});

const uidParams = z.strictObject({ uid: about("The `sub` of the person's ID tokens.", pathParameter, "6f9b2c1e") });

/** Beside the path, because API Gateway decodes a path twice: it has no way to carry a uid with `?` or `/` in it. */
export const findUser = defineRoute({
  method: "GET",
  path: "/users",
  summary: "The public profile of a user, whatever characters the uid has (`?uid=`)",
  tag: "Accounts",
  credential: "none",
  query: uidParams,
  responses: { 200: publicProfile },
  errors: ["user_not_found"],
});

export const getUser = defineRoute({
  method: "GET",
  path: "/users/:uid",
  summary: "The public profile of a user; `GET /users?uid=` takes a uid with `/`, `%` or `?` too",
  tag: "Accounts",
  credential: "none",
  params: uidParams,
  responses: { 200: publicProfile },
  errors: ["user_not_found"],
});
