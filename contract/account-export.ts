import * as z from "zod/mini";
import { account, amount, event, suspension } from "./accounts.ts";
import { project } from "./projects.ts";
import { release } from "./releases.ts";
import { defineRoute, time } from "./route.ts";
import { lastUsedBy, token } from "./tokens.ts";

const record = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("token"), token: z.extend(token, { last_used_by: z.nullable(lastUsedBy) }) }),
  z.strictObject({ kind: z.literal("event"), event }),
  /** How many user codes of command lines the account has looked up within ten minutes. */
  z.strictObject({ kind: z.literal("code_lookups"), kept_until: time, count: z.int() }),
  /** The bytes and objects that are counted of all projects of the account. */
  z.strictObject({ kind: z.literal("storage"), storage: amount }),
  z.strictObject({ kind: z.literal("project"), project }),
  z.strictObject({ kind: z.literal("release"), project: z.string(), release }),
]);

export const exportMe = defineRoute({
  method: "GET",
  path: "/me/export",
  summary: "All that is stored about the caller, in pages; an empty page is not always the last one",
  tag: "Accounts",
  credential: "idToken",
  suspended: "allowed",
  query: z.strictObject({ cursor: z.optional(z.string().check(z.maxLength(1_024))) }),
  responses: {
    200: z.strictObject({
      ...account.shape,
      suspension: z.nullable(suspension),
      records: z.array(record),
      next_cursor: z.nullable(z.string()),
    }),
  },
  errors: ["invalid_cursor"],
});
