import { limits } from "../../../contract/api/limits.ts";
import type { Token } from "../../../functions/entities/token.ts";
import type { Notice, NoticeType } from "../contract/notice.ts";

/** Text of a mail. The subject contains nothing that anybody chose. */
export interface MailText {
  readonly subject: string;
  readonly text: string;
}

interface Template {
  readonly subject: string;
  readonly advice: string;
  /** The page of the dashboard where a person does that. */
  readonly page: "/tokens" | "/";
}

const ifNotYou = "If this was not you, revoke the token, and secure the account that you sign in with.";

const templates: Readonly<Record<NoticeType, Template>> = {
  account_suspended: {
    subject: "Your account was suspended by the operator",
    advice: "Nobody can play its games, and its tokens do nothing. The dashboard's account page has the reason.",
    page: "/",
  },
  developer_requested: {
    subject: "Your account is waiting for the operator to approve it",
    advice: "It asked to become a developer's. You get another mail once it is approved.",
    page: "/",
  },
  developer_approved: {
    subject: "Your account was approved by the operator",
    advice: "You can make projects and tokens now.",
    page: "/",
  },
  token_created: { subject: "A token was created", advice: ifNotYou, page: "/tokens" },
  token_first_used: { subject: "A token was used for the first time", advice: ifNotYou, page: "/tokens" },
  token_used_from_new_network: { subject: "A token was used from a new network", advice: ifNotYou, page: "/tokens" },
  token_expiring: {
    subject: "A token is about to expire",
    advice:
      "If it is still needed, replace it. You choose for how long the old one still works, so that you can store the new one.",
    page: "/tokens",
  },
  token_disclosed: {
    subject: "A token was found in public and is revoked",
    advice:
      "Create another one where it is needed, and look at what the old one did. Where it was found is in the account's history.",
    page: "/tokens",
  },
  token_revoked: {
    subject: "A token was revoked",
    advice: "If this was not you, and you did not expect it, secure the account that you sign in with.",
    page: "/tokens",
  },
  project_deleted: {
    subject: "A project was deleted",
    advice: `Its owner can restore it for ${limits.projectRestoreDays} days. If it is yours and this was not you, do so, and secure the account that you sign in with.`,
    page: "/",
  },
  project_suspended: {
    subject: "A project was suspended by the operator",
    advice: "Players see a page that says so, and nothing of it can be changed. The account's history has the reason.",
    page: "/",
  },
  project_traffic_high: {
    subject: "A project is near its limit of traffic",
    advice:
      "80 % of what this project, or all your projects together, may send to players in a month (UTC) is used. At the limit players may get a page in place of the game. Large files that are fetched by each visit cost most.",
    page: "/",
  },
  project_traffic_limited: {
    subject: "A project is over its limit of traffic",
    advice:
      "Players get a page that says so. With the next month (UTC) the game comes back by itself; the operator can bring it back before.",
    page: "/",
  },
  publisher_added: {
    subject: "A project was given a trusted publisher",
    advice:
      "CI jobs may publish it from now on. If this was not you, remove the publisher of the project, and secure the account that you sign in with.",
    page: "/",
  },
  invitation_received: {
    subject: "A project is open to you by an invitation",
    advice:
      "Look at it in the dashboard, and accept or refuse it there. If you do not expect it, do nothing: the invitation expires by itself.",
    page: "/",
  },
  member_added: {
    subject: "A project was joined by another member",
    advice:
      "Its page in the dashboard says who and with which role. If you do not expect this, remove the member there.",
    page: "/",
  },
  member_removed: {
    subject: "A project is no longer open to you",
    advice: "You and your tokens cannot change it any more. Ask its owner why.",
    page: "/",
  },
  member_role_changed: {
    subject: "A project is open to you with another role",
    advice: "Its page in the dashboard says what you may do in it now.",
    page: "/",
  },
  project_handed_over: {
    subject: "A project was handed over",
    advice:
      "You and your tokens cannot change it any more. If this was not you, ask the operator, and secure the account that you sign in with.",
    page: "/",
  },
};

/** Context that is known beside the notice. */
interface Context {
  readonly token: Pick<Token, "name" | "hint"> | undefined;
  /** There will be no further mail about this day. */
  readonly isLastOfDay: boolean;
  /** The dashboard's origin. */
  readonly dashboard: string | undefined;
  /** Address of the operator for questions about the notice's project, if it has one. */
  readonly contact: string | undefined;
}

/**
 * The mail about a notice: what happened, to what, when, and what to do. Names that people choose are {@link quoted}.
 *
 * @throws Error if the notice is of a type that has no mail
 */
export function mailText(notice: Notice, { token, isLastOfDay, dashboard, contact }: Context): MailText {
  const template = templates[notice.type];
  if (template === undefined) throw new Error("The notice's type has no mail");
  const { subject, advice, page } = template;
  const facts = [
    ...(notice.token ? [["Token", tokenLine(notice.token, token)]] : []),
    ...(notice.project ? [["Project", quoted(notice.project)]] : []),
    ...(notice.network ? [["Network", notice.network]] : []),
    ["When", utc(notice.at)],
    ...(notice.expires_at ? [["Expires", utc(notice.expires_at)]] : []),
  ];
  const limit = `This is the last of ${limits.mailsPerAccountAndDay} mails about this day. The account's history shows what follows.`;
  const paragraphs = [
    `${subject}.`,
    facts.map(([name, value]) => `${name}: ${value}`).join("\n"),
    [advice, ...(dashboard ? [dashboard + page] : [])].join("\n"),
    ...(["account_suspended", "project_suspended"].includes(notice.type) && contact
      ? [`If you think that this is wrong, write to:\n${contact}`]
      : []),
    ...(isLastOfDay ? [limit] : []),
    `You get this mail because it is about your account. If it comes twice, both have the number ${notice.id}.`,
  ];
  return { subject: `svc: ${subject}`, text: `${paragraphs.join("\n\n")}\n` };
}

/** A token by its name and the end of its value; one that is deleted by its id. */
function tokenLine({ id, hint }: NonNullable<Notice["token"]>, token: Context["token"]): string {
  if (token === undefined) return hint === undefined ? id : `…${hint}`;
  return `${quoted(token.name)}, ends in ${token.hint}`;
}

function utc(time: string): string {
  return `${time.slice(0, 10)} ${time.slice(11, 16)} UTC`;
}

const shownCharacters = 40;

/**
 * A name that somebody else may have chosen, in quotation marks: 40 characters of it, of which only letters, digits, spaces and
 * `'_-` stay, so that no mail program makes a link, an address or a line of it. @internal
 */
export function quoted(name: string): string {
  const shown = [...name.normalize("NFC").replaceAll(/[^\p{L}\p{M}\p{N} '_-]/gu, "_")];
  const cut = shown.length > shownCharacters ? [...shown.slice(0, shownCharacters - 1), "…"] : shown;
  return `"${cut.join("")}"`;
}
