import { limits } from "../../../contract/api/limits.ts";
import { reportUrl } from "../../../functions/domain/projects/report-url.ts";
import * as environment from "../../../functions/environment.ts";
import { accountKey } from "../../../functions/table/keys.ts";
import type { Notice } from "../contract/notice.ts";
import { releaseNoticeTypes } from "../contract/release-notices.ts";
import { type Recipient, readRecipient, recordMail } from "./mail-items.ts";
import { type MailText, mailText, toldChanges } from "./texts.ts";

/** Sends a mail; "refused" if it can never be sent. */
export type SendMail = (mail: MailText & { readonly to: string }) => Promise<"sent" | "refused">;

/**
 * Why there was a mail or none. `nobody`: the account is gone, is suspended or has no verified address. `again`: there was one
 * about this notice. `own`: it tells only what the person did in the dashboard. `switched_off`: it is about releases, and the person wants no such mails. `too_many`: the account has had as many as one day may have.
 */
export type MailOutcome = "sent" | "refused" | "nobody" | "again" | "own" | "switched_off" | "too_many";

/**
 * Mails a notice to the person whom it is about, at the address that is stored now. It is mailed at least once: twice if the
 * function stops between the mail and its record, or gets the same notice twice at the same time.
 *
 * @throws whatever `send` or the table throws: it may be tried again
 */
export async function mailNotice(
  notice: Notice,
  { send, now }: { readonly send: SendMail; readonly now: Date },
): Promise<MailOutcome> {
  if (notice.changes && toldChanges(notice).length === 0) return "own";
  const key = accountKey(environment.idpIssuer(), notice.account.uid);
  // The notice's own day: a notice that comes a second time after midnight is found too.
  const day = notice.at.slice(0, 10);
  const { account, token, mailed } = await readRecipient(key, notice.token?.id, day);
  const to = addressOf(account, notice.type);
  if (to === undefined) return "nobody";
  if (releaseNoticeTypes.includes(notice.type) && account?.releaseMails === false) return "switched_off";
  if (mailed.has(notice.id)) return "again";
  const most = notice.type === "invitation_received" ? limits.mailsBeforeInvitations : limits.mailsPerAccountAndDay;
  if (mailed.size >= most) return "too_many";
  const isLastOfDay = mailed.size === limits.mailsPerAccountAndDay - 1;
  const outcome = await send({
    to,
    ...mailText(notice, {
      token,
      isLastOfDay,
      dashboard: environment.dashboardOrigin(),
      contact: reportUrl(notice.project) ?? undefined,
    }),
  });
  await recordMail(key, day, notice.id, now);
  return outcome;
}

/**
 * Mail address of a notice. None if it is unverified, as it may be another person's. A suspended account hears of the suspension alone: its
 * tokens do nothing.
 */
function addressOf(account: Recipient["account"], type: Notice["type"]): string | undefined {
  if (!account?.emailVerified) return undefined;
  if (account.suspension && type !== "account_suspended") return undefined;
  return account.email !== null && isOneAddress(account.email) ? account.email : undefined;
}

/** Whether a text is one address: neither a list nor an address with a name (RFC 5322, section 3.4). */
function isOneAddress(text: string): boolean {
  return /^[^\s@,;:<>()[\]"\\]+@[^\s@,;:<>()[\]"\\]+$/.test(text);
}
