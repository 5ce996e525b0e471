import * as z from "zod/mini";
import { time } from "./route.ts";

/** The events of an account that leave the service, and what is about to happen to its tokens. */
export const noticeType = z.enum([
  "token_created",
  "token_first_used",
  "token_used_from_new_network",
  "token_expiring",
  "token_disclosed",
  "token_revoked",
  "project_deleted",
]);

/**
 * What the service tells of an account's event to whoever subscribes: the detail of an event on the stage's bus
 * (docs/notices.md). Fields may be added; whatever else changes gets another `version`. It has no name, email address
 * or secret.
 */
export const notice = z.strictObject({
  version: z.literal(1),
  /** Of the event. A notice that is delivered again has the same one. */
  id: z.string(),
  type: noticeType,
  at: time,
  /** The `sub` of the account's ID tokens. */
  account: z.strictObject({ uid: z.string() }),
  /** The token that it happened to. */
  token: z.optional(z.strictObject({ id: z.string(), hint: z.optional(z.string()) })),
  /** The slug of the project that it happened to. */
  project: z.optional(z.string()),
  /** Where a token was used: an IPv4 network of 24 bits or an IPv6 network of 48. */
  network: z.optional(z.string()),
  /** When a token that is about to expire does. */
  expires_at: z.optional(time),
});

export type Notice = z.infer<typeof notice>;
export type NoticeType = z.infer<typeof noticeType>;
