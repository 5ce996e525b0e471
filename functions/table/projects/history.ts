import type { AccountEvent } from "../../entities/account.ts";
import type { Project, ProjectEvent } from "../../entities/project.ts";
import type { Token } from "../../entities/token.ts";
import { type NewEvent, storedEvent } from "../accounts/events.ts";
import { firstId } from "../ids.ts";
import { keys, ranges } from "../keys.ts";
import { isNoticeType, noticeWrite } from "../notices/outbox.ts";
import { readRange, type Slice } from "../read.ts";
import { put, type Write, type Writes } from "../transaction.ts";

/** Who changes a project, by which token, and when. */
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
    noticeOf(project, made, { ...stored, memberKey }),
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

/** To the person who was removed or got another role, if somebody else did it; else to the owner. */
function noticeOf(
  { slug, ownerKey }: Project,
  { by }: ProjectChange,
  { id, type, at, memberKey, tokenId }: AccountEvent & Pick<ProjectEvent, "memberKey">,
): Write | undefined {
  if (!isNoticeType(type)) return undefined;
  const isToMember = type === "member_removed" || type === "member_role_changed";
  const accountKey = isToMember ? memberKey : ownerKey;
  if (accountKey === undefined || (isToMember && accountKey === by)) return undefined;
  return noticeWrite({ id, type, at, accountKey, tokenId, project: slug });
}

/** Events of a project since it was created, newest first: another one may have had its slug before. */
export async function readProjectEvents({ slug, createdAt }: Project, slice: Slice) {
  const filter = { condition: "id >= :first", values: { ":first": firstId(new Date(createdAt)) } };
  return await readRange(ranges.projectEvents(slug), slice, { isDescending: true, filter });
}
