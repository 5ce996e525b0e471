import { clientsInWords, eventInWords } from "../../../contract/api/accounts/event-words.ts";
import { limits } from "../../../contract/api/limits.ts";
import type { WebhookEventType } from "../../../functions/entities/notice.ts";
import type { Token } from "../../../functions/entities/token.ts";
import type { Notice, NoticeChange, NoticeType } from "../contract/notice.ts";

/** Text of a mail. The subject contains nothing that anybody chose. */
export interface MailText {
  readonly subject: string;
  readonly text: string;
}

type Place =
  | "/"
  | "/account"
  | "/tokens"
  | `/projects/:project${"" | "/releases" | "/settings" | "/statistics" | `/settings#${string}`}`;

interface Template {
  readonly subject: string;
  readonly advice: string;
  /** Where a person does that in the dashboard: of `:project`, its page; without a project the list of all. */
  readonly place: Place;
}

const ifNotYou = "If this was not you, revoke the token, and secure the account that you sign in with.";

const templates: Readonly<Record<NoticeType, Template>> = {
  account_suspended: {
    subject: "Your account was suspended by the operator",
    advice: "Nobody can play its games, and its tokens do nothing. The dashboard says why when you sign in.",
    place: "/account",
  },
  developer_requested: {
    subject: "Your account is waiting for the operator to approve it",
    advice: "It asked to become a developer's. You get another mail once it is approved.",
    place: "/",
  },
  developer_approved: {
    subject: "Your account was approved by the operator",
    advice: "You can make projects and tokens now.",
    place: "/",
  },
  token_created: { subject: "A token was created", advice: ifNotYou, place: "/tokens" },
  token_first_used: { subject: "A token was used for the first time", advice: ifNotYou, place: "/tokens" },
  token_used_from_new_network: { subject: "A token was used from a new network", advice: ifNotYou, place: "/tokens" },
  token_expiring: {
    subject: "A token is about to expire",
    advice:
      "If it is still needed, replace it. You choose for how long the old one still works, so that you can store the new one.",
    place: "/tokens",
  },
  token_disclosed: {
    subject: "A token was found in public and is revoked",
    advice:
      "Create another one where it is needed, and look at what the old one did. Where it was found is in the account's history.",
    place: "/tokens",
  },
  token_revoked: {
    subject: "A token was revoked",
    advice: "If this was not you, and you did not expect it, secure the account that you sign in with.",
    place: "/tokens",
  },
  project_deleted: {
    subject: "A project was deleted",
    advice: `Its owner can restore it for ${limits.projectRestoreDays} days. If it is yours and this was not you, do so, and secure the account that you sign in with.`,
    place: "/projects/:project",
  },
  project_suspended: {
    subject: "A project was suspended by the operator",
    advice: "Players see a page that says so, and nothing of it can be changed. Its page in the dashboard says why.",
    place: "/projects/:project",
  },
  project_traffic_high: {
    subject: "A project is near its limit of traffic",
    advice:
      "80 % of what this project, or all your projects together, may send to players in a month (UTC) is used. At the limit players may get a page in place of the game. Large files that are fetched by each visit cost most.",
    place: "/projects/:project/statistics",
  },
  project_traffic_limited: {
    subject: "A project is over its limit of traffic",
    advice:
      "Players get a page that says so. With the next month (UTC) the game comes back by itself; the operator can bring it back before.",
    place: "/projects/:project/statistics",
  },
  publisher_added: {
    subject: "A project was given a trusted publisher",
    advice:
      "CI jobs may publish it from now on. If this was not you, remove the publisher of the project, and secure the account that you sign in with.",
    place: "/projects/:project/settings#publishers",
  },
  invitation_received: {
    subject: "A project is open to you by an invitation",
    advice:
      "Look at it in the dashboard, and accept or refuse it there. If you do not expect it, do nothing: the invitation expires by itself.",
    place: "/",
  },
  member_added: {
    subject: "A project was joined by another member",
    advice:
      "Its page in the dashboard says who and with which role. If you do not expect this, remove the member there.",
    place: "/projects/:project/settings#members",
  },
  member_removed: {
    subject: "A project is no longer open to you",
    advice: "You and your tokens cannot change it any more. Ask its owner why.",
    place: "/",
  },
  member_role_changed: {
    subject: "A project is open to you with another role",
    advice: "Its page in the dashboard says what you may do in it now.",
    place: "/projects/:project/settings#members",
  },
  token_refused: {
    subject: "A token was refused in a project",
    advice: "It works in your other projects. Ask the project's owner why, who can take it again.",
    place: "/tokens",
  },
  project_handed_over: {
    subject: "A project was handed over",
    advice:
      "You and your tokens cannot change it any more. If this was not you, ask the operator, and secure the account that you sign in with.",
    place: "/",
  },
  person_required: {
    subject: "A project is made live by a person from now on",
    advice:
      "What tokens and CI jobs publish waits in the dashboard until one of its people, who has just signed in, makes it live.",
    place: "/projects/:project",
  },
  person_no_longer_required: {
    subject: "A project is made live without a person again",
    advice:
      "No person has to agree any more. If nobody of the project wanted this, switch it on again in the project's settings, and secure the accounts of its people.",
    place: "/projects/:project/settings",
  },
  release_waiting: {
    subject: "A project is waiting for a person to make a release live",
    advice:
      "A token or a CI job has published it. Look at what it changes on the project's page, then make it live or delete it. If nobody of the project has published it, revoke the token, or remove the publisher.",
    place: "/projects/:project",
  },
  webhook_switched_off: {
    subject: "A webhook was switched off",
    advice: `Nothing that was sent to it has arrived for ${limits.webhookFailingDays} days, so it is switched off. The project's settings show its last deliveries. Mend its receiver, then send a test from there: if that arrives, it is on again.`,
    place: "/projects/:project/settings#webhooks",
  },
  project_releases_changed: {
    subject: "A project was changed for its players",
    advice:
      "If it should not be so, make an earlier release live or cancel the schedule, and revoke the token or remove the CI jobs that did it. That and the history are on the project's page. Your profile on the account page switches these mails off.",
    place: "/projects/:project/releases",
  },
  release_crashes_more: {
    subject: "A project is crashing more often since its last release",
    advice:
      "Players' browsers report that its live release crashes clearly more often than the one before it. Anybody can send such reports, so look at its statistics and try the game yourself. To go back, make the earlier release live again. There is no further mail about this release.",
    place: "/projects/:project/statistics",
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
  const { subject, advice, place } = template;
  const facts = [
    ...(notice.token ? [["Token", tokenLine(notice.token, token)]] : []),
    ...(notice.project ? [["Project", quoted(notice.project)]] : []),
    ...(notice.network ? [["Network", notice.network]] : []),
    ["When", utc(notice.at)],
    ...(notice.expires_at ? [["Expires", utc(notice.expires_at)]] : []),
    ...(notice.release ? [["Release", `#${notice.release.number}`]] : []),
    ...(notice.release_before ? [["Before it", `#${notice.release_before.number}`]] : []),
  ];
  const limit = `This is the last of ${limits.mailsPerAccountAndDay} mails about this day. The account's history shows what follows.`;
  const changes = toldChanges(notice);
  const paragraphs = [
    `${subject}.`,
    facts.map(([name, value]) => `${name}: ${value}`).join("\n"),
    ...(changes.length > 0 ? [changes.map(changeLine).join("\n")] : []),
    [advice, ...(dashboard ? [dashboard + pathOf(place, notice)] : [])].join("\n"),
    ...(["account_suspended", "project_suspended"].includes(notice.type) && contact
      ? [`If you think that this is wrong, write to:\n${contact}`]
      : []),
    ...(isLastOfDay ? [limit] : []),
    `You get this mail because it is about your account. If it comes twice, both have the number ${notice.id}.`,
  ];
  return { subject: `svc: ${subject}`, text: `${paragraphs.join("\n\n")}\n` };
}

function pathOf(place: Place, { project = "" }: Notice): string {
  if (!place.includes(":project")) return place;
  return /^[a-z0-9-]+$/.test(project) ? place.replace(":project", project) : "/";
}

/** The changes of releases that a mail tells: not what the account itself did in the dashboard. */
export function toldChanges({ changes = [] }: Notice): NoticeChange[] {
  return changes.filter(({ own }) => !own);
}

const credentials = {
  session: "in the dashboard",
  token: "with a token",
  ci_job: "by a CI job",
  operator: "by the operator",
  service: "by the service",
};

/** A line such as `04:30 UTC: Release published: #3, "Faster loading", by "Grace", with the token "CI", by the svc command, commit 4f2a9c01d7e8`. */
function changeLine(change: NoticeChange): string {
  return `${change.at.slice(11, 16)} UTC: ${changeInWords(change)}`;
}

type ToldChange = Omit<NoticeChange, "type" | "at" | "own"> & {
  readonly type: Exclude<WebhookEventType, "release_crashes_more">;
};

/** The same without a time, for events that change no release too. */
export function changeInWords(change: ToldChange): string {
  const { type, act, release, by, credential, token_name, client, commit, scheduled_for, schedule_end } = change;
  const { number, message } = release;
  const means = token_name === undefined ? credentials[credential] : `with the token ${quoted(token_name)}`;
  return [
    eventInWords({ type, act, release_number: number, scheduled_for, schedule_end }),
    ...(message === undefined ? [] : [quoted(message)]),
    ...(by ? [`by ${quoted(by.name)}`] : []),
    means,
    ...(client ? [clientsInWords[client]] : []),
    // What a client named may be any text.
    ...(commit !== undefined && /^[0-9a-f]{7,64}$/.test(commit) ? [`commit ${commit.slice(0, 12)}`] : []),
  ].join(", ");
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
