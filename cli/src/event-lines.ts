import { eventsInWords } from "../../contract/api/accounts/event-words.ts";
import type { ResponseBody } from "../../contract/client.ts";
import type { Row } from "./columns.ts";
import { minute, nameOf } from "./text.ts";

export type ProjectEvent = ResponseBody<"listProjectEvents">["events"][number];

/** One event as `svc history` shows it. */
export function eventRow({ at, type, member, role, by, release_id, publisher_id, token_id }: ProjectEvent): Row {
  const isByJob = by === null && publisher_id !== undefined;
  const what = [eventsInWords[type], member !== undefined && ` · ${nameOf(member)}`, role && ` as ${role}`];
  const details = [
    (by || isByJob) && `by ${by ? nameOf(by) : "a CI job"}`,
    token_id && `token ${token_id}`,
    release_id && `release ${release_id}`,
  ].filter(Boolean);
  return {
    cells: [minute(at), what.filter(Boolean).join("")],
    ...(details.length > 0 && { below: details.join(", ") }),
  };
}
