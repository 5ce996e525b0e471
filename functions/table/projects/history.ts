import type { AccountEvent } from "../../entities/account.ts";
import type { Project, ProjectEvent } from "../../entities/project.ts";
import type { Token } from "../../entities/token.ts";
import { type NewEvent, storedEvent } from "../accounts/events.ts";
import { firstId, newId } from "../ids.ts";
import { keys, ranges } from "../keys.ts";
import { isNoticeType, noticeWrite } from "../outbox.ts";
import { readRange, type Slice } from "../read.ts";
import { put, type Write, type Writes } from "../transaction.ts";

/** Author of a change: account, token and time. */
export interface ProjectChange {
  /** The key of the account; undefined for the operator. */
  readonly by: string | undefined;
  readonly token: Token | undefined;
  readonly now: Date;
}

type NewProjectEvent = Omit<NewEvent, "project"> & Pick<ProjectEvent, "memberKey" | "role">;

/**
 * The writes of an event of a project, to be made in the transaction of the change that it records: in the history of the account
 * that caused it (the owner's, if the operator did), in the project's, and the notice, if its type is one that is sent.
 */
export function projectEventWrites(project: Project, made: ProjectChange, event: NewProjectEvent): Writes {
  const { slug, ownerKey } = project;
  const { memberKey, role, ...own } = event;
  const stored = storedEvent(made.now, { project: slug, tokenId: made.token?.id, ...own });
  return [
    put(keys.event(made.by ?? ownerKey, stored.id), stored),
    projectHistoryWrite(project, made, { ...stored, memberKey, role }),
    ...noticesOf(project, made, { ...stored, memberKey }),
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

/**
 * To the person who was removed or got another role, if somebody else did it; else to the owner, and of a deletion to every
 * member.
 */
function noticesOf(
  { slug, ownerKey, members = {} }: Project,
  { by, now }: ProjectChange,
  { id, type, at, memberKey, tokenId }: AccountEvent & Pick<ProjectEvent, "memberKey">,
): Writes {
  if (!isNoticeType(type)) return [];
  const notice = { id, type, at, project: slug };
  if (type === "member_removed" || type === "member_role_changed")
    return memberKey === undefined || memberKey === by
      ? []
      : [noticeWrite({ ...notice, accountKey: memberKey, tokenId })];
  // Each has an id of its own, by which a target knows a notice that comes again.
  const others = type === "project_deleted" ? Object.keys(members) : [];
  return [
    noticeWrite({ ...notice, accountKey: ownerKey, tokenId }),
    ...others.map((accountKey) => noticeWrite({ ...notice, id: newId(now), accountKey })),
  ];
}

/** Events of a project since it was created, newest first: another one may have had its slug before. */
export async function readProjectEvents({ slug, createdAt }: Project, slice: Slice) {
  const filter = { condition: "id >= :first", values: { ":first": firstId(new Date(createdAt)) } };
  return await readRange(ranges.projectEvents(slug), slice, { isDescending: true, filter });
}
