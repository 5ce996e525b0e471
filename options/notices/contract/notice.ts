import * as z from "zod/mini";
import { time } from "../../../contract/api/route.ts";

/** The types of notices: events of an account, tokens that are about to expire, and projects that invite it. */
export const noticeType = z.enum([
  "account_suspended",
  "developer_requested",
  "developer_approved",
  "token_created",
  "token_first_used",
  "token_used_from_new_network",
  "token_expiring",
  "token_disclosed",
  "token_revoked",
  "project_deleted",
  "project_suspended",
  "project_traffic_high",
  "project_traffic_limited",
  "publisher_added",
  "invitation_received",
  "member_added",
  "member_removed",
  "member_role_changed",
  "project_handed_over",
]);

/**
 * A message about an account's event for every subscriber: the detail of an event on the stage's bus (docs/notices.md).
 * Fields may be added; any other change gets another `version`. It has no name, email address or secret.
 */
export const notice = z.strictObject({
  version: z.literal(1),
  /** The event's id. A notice that is delivered again has the same one. */
  id: z.string(),
  type: noticeType,
  at: time,
  /** The `sub` of the account's ID tokens. */
  account: z.strictObject({ uid: z.string() }),
  /** The token that it happened to. */
  token: z.optional(z.strictObject({ id: z.string(), hint: z.optional(z.string()) })),
  /** The slug of the project that it happened to. */
  project: z.optional(z.string()),
  /** Network from which a token was used: IPv4 of 24 bits or IPv6 of 48. */
  network: z.optional(z.string()),
  /** Expiry of a token that is about to expire, or of an invitation. */
  expires_at: z.optional(time),
});

export type Notice = z.infer<typeof notice>;
export type NoticeType = z.infer<typeof noticeType>;
