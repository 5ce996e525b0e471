import type { EventType, ReleaseFacts } from "./account.ts";

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
  | "token_refused"
  | "project_deleted"
  | "project_suspended"
  | "publisher_added"
  | "member_added"
  | "member_removed"
  | "member_role_changed"
  | "project_handed_over"
  | "person_required"
  | "person_no_longer_required"
  | "release_waiting"
>;

/** Events of releases: owner and admins of the project hear of them. */
export type ReleaseEventType = Extract<
  EventType,
  | "preview_opened"
  | "release_published"
  | "release_unpublished"
  | "release_withdrawn"
  | "release_scheduled"
  | "schedule_cancelled"
  | "schedule_ended"
>;

/** Events of a project of which its webhooks are told. */
export type WebhookEventType =
  | ReleaseEventType
  | Extract<EventType, "person_required" | "person_no_longer_required" | "release_waiting">
  | "release_crashes_more";

/** A release, as a notice names it. */
export interface NamedRelease {
  readonly id: string;
  readonly number: number;
}

/** The live release that crashes clearly more often than the one before it. */
export interface WorseRelease {
  readonly release: NamedRelease;
  readonly before: NamedRelease;
}

/** An event of a project that is not sent to its webhooks yet, with the id and time of its event. */
export interface WebhookEvent extends Omit<ReleaseChange, "type"> {
  readonly id: string;
  readonly type: WebhookEventType;
  readonly project: string;
  /** The release with which the event's own is compared. */
  readonly before?: NamedRelease;
}

/** A change of a project's releases, as a notice tells it. */
export interface ReleaseChange {
  readonly type: ReleaseEventType;
  readonly at: string;
  readonly releaseId: string | undefined;
  readonly release: ReleaseFacts | undefined;
  /** The key of the account that did it; unset for a CI job, the operator and the service. */
  readonly byKey: string | undefined;
  readonly credential: "session" | "token" | "ci_job" | "operator" | "service";
}

/** A notice that is not delivered yet, with the id and time of its event. It is not delivered before that time. */
export interface PendingNotice {
  readonly id: string;
  readonly type:
    | ToldEventType
    | "token_expiring"
    | "invitation_received"
    | "project_traffic_high"
    | "project_traffic_limited"
    | "webhook_switched_off"
    | "release_crashes_more"
    | "project_releases_changed";
  readonly at: string;
  readonly accountKey: string;
  readonly tokenId?: string | undefined;
  readonly project?: string | undefined;
  readonly network?: string | undefined;
  /** The expiry, when the notice was written, of a token that is about to expire or of an invitation. */
  readonly expiresAt?: string;
  /** Set if the project's releases were changed: what of the same ten minutes waits is delivered as one notice. */
  readonly change?: ReleaseChange;
  /** Set if the live release crashes more often. */
  readonly worse?: WorseRelease;
  /** Epoch seconds after which DynamoDB may delete a notice that nobody accepted. */
  readonly ttl?: number;
}
