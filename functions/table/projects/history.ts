import type { AccountEvent, EventType, ReleaseFacts } from "../../entities/account.ts";
import type { ReleaseEventType, WebhookEventType } from "../../entities/notice.ts";
import type { Member, Project, ProjectEvent } from "../../entities/project.ts";
import type { Release } from "../../entities/release.ts";
import type { Token } from "../../entities/token.ts";
import { type NewEvent, storedEvent } from "../accounts/events.ts";
import { firstId, newId } from "../ids.ts";
import { keys, ranges } from "../keys.ts";
import { isNoticeType, noticeWrite, webhookEventWrite } from "../outbox.ts";
import { readRange, type Slice } from "../read.ts";
import { put, type Write, type Writes } from "../transaction.ts";

/** Author of a change: account, token and time. */
export interface ProjectChange {
  /** The key of the account; undefined for the operator and the service. */
  readonly by: string | undefined;
  readonly token: Token | undefined;
  readonly now: Date;
}

type NewProjectEvent = Omit<NewEvent, "project"> & Pick<ProjectEvent, "memberKey" | "role">;

/** An event of a release, with what the release is then and by which credential it happened. */
export function releaseEvent(
  type: EventType,
  { id, number, message, source }: Pick<Release, "id" | "number" | "message" | "source">,
  { token }: Pick<ProjectChange, "token">,
  { act, scheduledFor, scheduleEnd }: Pick<ReleaseFacts, "act" | "scheduledFor" | "scheduleEnd"> = {},
): NewProjectEvent {
  const run = token?.job?.run;
  const client = token?.lastUsedBy?.client;
  return {
    type,
    releaseId: id,
    release: {
      ...(act && { act }),
      ...(scheduledFor && { scheduledFor }),
      ...(scheduleEnd && { scheduleEnd }),
      ...(number !== undefined && { number }),
      ...(message !== undefined && { message }),
      ...(source && { commit: source.commit }),
      ...(token && !run && { tokenName: token.name }),
      ...(client && { client }),
      ...(token && run && { run: { commit: run.commit, runUrl: run.runUrl, accountKey: token.accountKey } }),
    },
  };
}

/**
 * The writes of an event of a project, to be made in the transaction of the change that it records: in the history of the account
 * that caused it (the owner's, if the operator did), in the project's, and the notice, if its type is one that is sent.
 */
export function projectEventWrites(project: Project, made: ProjectChange, event: NewProjectEvent): Writes {
  const { slug, ownerKey } = project;
  const { memberKey, role, ...details } = event;
  const stored = storedEvent(made.now, { project: slug, tokenId: made.token?.id, ...details });
  return [
    put(keys.event(made.by ?? ownerKey, stored.id), stored),
    projectHistoryWrite(project, made, { ...stored, memberKey, role }),
    ...noticesOf(project, made, { ...stored, memberKey }),
    ...releaseNotices(project, made, stored),
    webhookNotice(project, made, stored),
  ];
}

/** The same without notices and webhooks: of one change of several projects, the event of one tells enough. */
export function quietEventWrites(project: Project, made: ProjectChange, event: NewProjectEvent): Writes {
  const { memberKey, role, ...details } = event;
  const stored = storedEvent(made.now, { project: project.slug, tokenId: made.token?.id, ...details });
  return [
    put(keys.event(made.by ?? project.ownerKey, stored.id), stored),
    projectHistoryWrite(project, made, { ...stored, memberKey, role }),
  ];
}

/** The event in the project's history alone. */
export function projectHistoryWrite(
  { slug }: Project,
  { by, token }: Pick<ProjectChange, "by" | "token">,
  { project: _, ...event }: AccountEvent & Pick<ProjectEvent, "memberKey" | "role">,
): Write<ProjectEvent> {
  const { job } = token ?? {};
  const cause = job ? { publisherId: job.publisherId } : { byKey: by };
  return put(keys.projectEvent(slug, event.id), { ...event, ...cause });
}

const everybody = () => true;
const publishers = ({ role }: Member) => role !== "viewer";
const admins = ({ role }: Member) => role === "admin";

const releaseEvents: Readonly<Record<ReleaseEventType, typeof admins>> = {
  preview_opened: admins,
  release_published: admins,
  release_unpublished: admins,
  release_withdrawn: admins,
  release_scheduled: admins,
  schedule_cancelled: admins,
  schedule_ended: admins,
};

function isReleaseEvent(type: EventType): type is ReleaseEventType {
  return Object.hasOwn(releaseEvents, type);
}

/** Events of which members are told too, beside the owner. */
const toldMembers: Partial<Record<EventType, typeof admins>> = {
  project_deleted: everybody,
  person_required: publishers,
  person_no_longer_required: publishers,
  release_waiting: admins,
  ...releaseEvents,
};

/** The keys of the members who are told of an event of this type. */
function toldOf(type: EventType, { members = {} }: Project): string[] {
  return Object.entries(members).flatMap(([key, member]) => (toldMembers[type]?.(member) ? [key] : []));
}

/** The keys of the accounts that hear of what players get of a project. */
export function ownerAndAdmins({ ownerKey, members = {} }: Project): string[] {
  return [ownerKey, ...Object.entries(members).flatMap(([key, member]) => (admins(member) ? [key] : []))];
}

/** To the person who was removed, got another role or has the refused token, if somebody else did it; else to the owner, and to members as above. */
function noticesOf(
  project: Project,
  { by, now }: ProjectChange,
  { id, type, at, memberKey, tokenId }: AccountEvent & Pick<ProjectEvent, "memberKey">,
): Writes {
  if (!isNoticeType(type)) return [];
  const notice = { id, type, at, project: project.slug };
  if (type === "member_removed" || type === "member_role_changed" || type === "token_refused")
    return memberKey === undefined || memberKey === by
      ? []
      : [noticeWrite({ ...notice, accountKey: memberKey, tokenId })];
  // Each has an id of its own, by which a target knows a notice that comes again.
  return [
    noticeWrite({ ...notice, accountKey: project.ownerKey, tokenId }),
    ...toldOf(type, project).map((accountKey) => noticeWrite({ ...notice, id: newId(now), accountKey })),
  ];
}

const tenMinutes = 600_000;

/** To the owner and members as above, due when the ten minutes of the clock are over in which it happened. */
function releaseNotices(
  project: Project,
  { by, token, now }: ProjectChange,
  { type, at, releaseId, release }: AccountEvent,
): Writes {
  if (!isReleaseEvent(type)) return [];
  const change = { type, at, releaseId, release, ...causeOf(type, { by, token }) };
  const due = new Date((Math.floor(now.getTime() / tenMinutes) + 1) * tenMinutes).toISOString();
  const notice = { type: "project_releases_changed", at: due, project: project.slug, change } as const;
  return [project.ownerKey, ...toldOf(type, project)].map((accountKey) =>
    noticeWrite({ ...notice, id: newId(now), accountKey }),
  );
}

/** Who did it, and by which credential. */
function causeOf(type: EventType, { by, token }: Pick<ProjectChange, "by" | "token">) {
  const nobody = type === "schedule_ended" ? "service" : "operator";
  const credential = token ? (token.job ? "ci_job" : "token") : by === undefined ? nobody : "session";
  return { byKey: credential === "ci_job" ? undefined : by, credential } as const;
}

type EventOfWebhooks = Extract<EventType, WebhookEventType>;

const webhookEvents: Readonly<Record<EventOfWebhooks, true>> = {
  preview_opened: true,
  release_published: true,
  release_unpublished: true,
  release_withdrawn: true,
  release_scheduled: true,
  schedule_cancelled: true,
  schedule_ended: true,
  person_required: true,
  person_no_longer_required: true,
  release_waiting: true,
};

function isWebhookEvent(type: EventType): type is EventOfWebhooks {
  return Object.hasOwn(webhookEvents, type);
}

/** To the project's webhooks, if it has any, due at once. */
function webhookNotice(
  { slug, webhooks = [] }: Project,
  made: ProjectChange,
  { id, type, at, releaseId, release }: AccountEvent,
): Write | undefined {
  if (webhooks.length === 0 || !isWebhookEvent(type)) return undefined;
  return webhookEventWrite({ id, type, at, project: slug, releaseId, release, ...causeOf(type, made) });
}

/** Events of a project since it was created, newest first: another one may have had its slug before. */
export async function readProjectEvents({ slug, createdAt }: Project, slice: Slice) {
  const filter = { condition: "id >= :first", values: { ":first": firstId(new Date(createdAt)) } };
  return await readRange(ranges.projectEvents(slug), slice, { isDescending: true, filter });
}
