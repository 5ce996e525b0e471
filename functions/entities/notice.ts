import type { NoticeType } from "../../contract/api/notice.ts";

/** A notice that is not delivered yet, with the id and time of its event. It is not delivered before that time. */
export interface PendingNotice {
  readonly id: string;
  readonly type: NoticeType;
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

/** The notices of a day that were mailed to an account, or whose mail SES refused. */
export interface SentMails {
  readonly ids: ReadonlySet<string>;
  /** Epoch seconds after which DynamoDB may delete it. */
  readonly ttl: number;
}
