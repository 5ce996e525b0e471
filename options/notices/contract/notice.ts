import * as z from "zod/mini";
import { clientKinds, publicationAct, scheduleEnd } from "../../../contract/api/accounts/accounts.ts";
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
  "token_refused",
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
  "person_required",
  "person_no_longer_required",
  "release_waiting",
  "webhook_switched_off",
  "project_releases_changed",
  "release_crashes_more",
]);

/** What notices of releases and webhooks tell. */
export const releaseChangeTypes = [
  "preview_opened",
  "release_published",
  "release_unpublished",
  "release_withdrawn",
  "release_scheduled",
  "schedule_cancelled",
  "schedule_ended",
] as const;

/** What happened to a release, by whom, and by which credential. */
const releaseChange = z.strictObject({
  type: z.enum(releaseChangeTypes),
  at: time,
  /** How it went live. */
  act: z.optional(publicationAct),
  /** When it is to go live. */
  scheduled_for: z.optional(time),
  /** Why its schedule ended. */
  schedule_end: z.optional(scheduleEnd),
  release: z.strictObject({ id: z.optional(z.string()), number: z.optional(z.int()), message: z.optional(z.string()) }),
  /** The public name of the person; absent for a CI job, the operator, the service and a deleted account. */
  by: z.optional(z.strictObject({ uid: z.string(), name: z.string() })),
  credential: z.enum(["session", "token", "ci_job", "operator", "service"]),
  /** What the token is called. */
  token_name: z.optional(z.string()),
  /** The kind of client that used the token; absent for a session. */
  client: z.optional(z.enum(clientKinds)),
  /** Of the CI job's run, or else the one that the client named. */
  commit: z.optional(z.string()),
  /** The CI job's run. */
  run_url: z.optional(z.string()),
  /** Whether the account itself did it in the dashboard: no mail tells that. */
  own: z.boolean(),
});

const namedRelease = z.strictObject({ id: z.string(), number: z.int() });

/**
 * A message about an account's event for every subscriber: the detail of an event on the stage's bus (docs/notices.md).
 * Fields may be added; any other change gets another `version`. It has no email address and no secret, and of names those of who
 * changed releases, and of the token.
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
  /** What happened to the project's releases in ten minutes, in order of time. */
  changes: z.optional(z.array(releaseChange)),
  /** The release that crashes more often. */
  release: z.optional(namedRelease),
  /** The one before it, which crashes less often. */
  release_before: z.optional(namedRelease),
});

export type NoticeChange = z.infer<typeof releaseChange>;

export type Notice = z.infer<typeof notice>;
export type NoticeType = z.infer<typeof noticeType>;
