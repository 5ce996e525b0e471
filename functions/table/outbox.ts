import type { EventType } from "../entities/account.ts";
import type { PendingNotice, ToldEventType, WebhookEvent } from "../entities/notice.ts";
import * as environment from "../environment.ts";
import { keys } from "./keys.ts";
import { put, type Write } from "./transaction.ts";

/*
 * The notices that have not left the service yet (decision 38). Each is written by the transaction of the change that it
 * is about; what delivers notices deletes it once somebody has accepted it.
 */

const told: Readonly<Record<ToldEventType, true>> = {
  account_suspended: true,
  developer_requested: true,
  developer_approved: true,
  token_created: true,
  token_first_used: true,
  token_used_from_new_network: true,
  token_disclosed: true,
  token_revoked: true,
  token_refused: true,
  project_deleted: true,
  project_suspended: true,
  publisher_added: true,
  member_added: true,
  member_removed: true,
  member_role_changed: true,
  project_handed_over: true,
  person_required: true,
  person_no_longer_required: true,
  release_waiting: true,
};

/** Whether an event of this type is sent as a notice. */
export function isNoticeType(type: EventType): type is ToldEventType {
  return Object.hasOwn(told, type);
}

/** The write of a notice; undefined if nothing delivers it, because it would wait for ever. */
export function noticeWrite(notice: PendingNotice): Write<PendingNotice> | undefined {
  return environment.deliversNotices() ? put(keys.notice(notice.accountKey, notice.at, notice.id), notice) : undefined;
}

/** The write of what a project's webhooks are told; undefined as above. */
export function webhookEventWrite(event: WebhookEvent): Write<WebhookEvent> | undefined {
  return environment.deliversNotices() ? put(keys.webhookEvent(event.at, event.id), event) : undefined;
}
