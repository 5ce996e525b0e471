import * as z from "zod/mini";
import { memberRole } from "../projects/members.ts";
import { project } from "../projects/projects.ts";
import { pendingPublisher, publisher } from "../projects/publishers.ts";
import { release } from "../releases/release.ts";
import { about, cursor, defineRoute, nextCursor, time } from "../route.ts";
import { lastUsedBy, token } from "../tokens/tokens.ts";
import { account, amount, event, suspension } from "./accounts.ts";

/** Kind of a record. */
function kind<const Kind extends string>(value: Kind) {
  return about("What the record is.", z.literal(value));
}

const exportedToken = z.extend(token, {
  last_used_by: about("The client of its last recorded use.", z.nullable(lastUsedBy)),
});

/** The schemas of the records of options by their kinds: each option declares its own as members of it. */
// biome-ignore lint/suspicious/noEmptyInterface: its members are declared where the records are
export interface OptionRecords {}

export type OptionRecord = OptionRecords[keyof OptionRecords];

const coreRecords = [
  z.strictObject({ kind: kind("token"), token: about("A token, without its secret.", exportedToken) }),
  z.strictObject({ kind: kind("event"), event: about("What happened to the account.", event) }),
  z.strictObject({
    kind: kind("code_lookups"),
    kept_until: about("When this record is deleted.", time),
    count: about("How many user codes of command lines the account has looked up within ten minutes.", z.int(), 1),
  }),
  z.strictObject({
    kind: kind("idempotent_creation"),
    kept_until: about("When this record is deleted.", time),
    created: about(
      "What was created with an idempotency key: the slug of a project, the id of a token or release, empty for an approval.",
      z.string(),
      "star-hopper",
    ),
  }),
  z.strictObject({
    kind: kind("invitation"),
    project: about(
      "The slug of a project to which the caller is, or lately was, invited by the uid.",
      z.string(),
      "dunes",
    ),
    kept_until: about("When this record is deleted.", time),
  }),
  z.strictObject({
    kind: kind("membership"),
    project: about("The slug of a project of which the account is a member.", z.string(), "dunes"),
    id: about("Names the member in this project.", z.string(), "00VbbMCZ9xVv0PpQj3rD2s"),
    role: about("What it may do.", memberRole, "publisher"),
    since: about("Since when.", time),
  }),
  z.strictObject({
    kind: kind("team_member"),
    uid: about("Who joins each project that the account creates.", z.string(), "b81d44f0"),
    role: about("What the person is in it.", memberRole, "publisher"),
    since: about("Since when.", time),
  }),
  z.strictObject({
    kind: kind("team"),
    owner: about("The uid of an owner whose new projects the account joins.", z.string(), "ada"),
    since: about("Since when.", time),
  }),
  z.strictObject({
    kind: kind("pending_publisher"),
    pending: about("CI jobs that can create a project.", pendingPublisher),
  }),
  z.strictObject({
    kind: kind("storage"),
    storage: about("The bytes and objects that are counted of all projects of the account.", amount),
  }),
  z.strictObject({
    kind: kind("project"),
    project: about("A project that the account owns.", project),
    publishers: about("Its trusted publishers.", z.array(publisher)),
  }),
  z.strictObject({
    kind: kind("release"),
    project: about("The slug of its project.", z.string(), "star-hopper"),
    release: about("A release of a project that the account owns.", release),
  }),
] as const;

/** All that is stored about an account, with the records of these options. */
export function exportWith(records: readonly OptionRecord[]) {
  return z.strictObject({
    ...account.shape,
    suspension: about("Null unless the operator has suspended the account.", z.nullable(suspension), null),
    records: about("A part of what is stored.", z.array(z.discriminatedUnion("kind", [...coreRecords, ...records]))),
    next_cursor: nextCursor,
  });
}

export const exportMe = defineRoute({
  method: "GET",
  path: "/me/export",
  summary: "All that is stored about the caller, in pages; an empty page is not always the last one",
  tag: "Accounts",
  credential: "idToken",
  suspended: "allowed",
  query: z.strictObject({ cursor }),
  responses: { 200: exportWith([]) },
  errors: ["invalid_cursor"],
});
