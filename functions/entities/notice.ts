import type { EventType } from "./account.ts";

/** The types of events that their account is told of, in `functions/table/outbox.ts`. */
export type ToldEventType = Extract<
  EventType,
  | "account_suspended"
  | "developer_requested"
  | "developer_approved"
  | "token_created"
  | "token_first_used"
  | "token_used_from_new_network"
  | "token_disclosed"
  | "token_revoked"
  | "project_deleted"
  | "project_suspended"
  | "publisher_added"
  | "member_added"
  | "member_removed"
  | "member_role_changed"
  | "project_handed_over"
>;

/** A notice that is not delivered yet, with the id and time of its event. It is not delivered before that time. */
export interface PendingNotice {
  readonly id: string;
  readonly type:
    | ToldEventType
    | "token_expiring"
    | "invitation_received"
    | "project_traffic_high"
    | "project_traffic_limited";
  readonly at: string;
  readonly accountKey: string;
  readonly tokenId?: string | undefined;
  readonly project?: string | undefined;
  readonly network?: string | undefined;
  /** The expiry, when the notice was written, of a token that is about to expire or of an invitation. */
  readonly expiresAt?: string;
  /** Epoch seconds after which DynamoDB may delete a notice that nobody accepted. */
  readonly ttl?: number;
}
