import { clientsInWords, eventInWords } from "../../contract/api/accounts/event-words.ts";
import type { ResponseBody } from "../../contract/client.ts";
import type { Row } from "./columns.ts";
import { minute, nameOf, printable } from "./text.ts";

export type ProjectEvent = ResponseBody<"listProjectEvents">["events"][number];

/** One event as `svc history` shows it. */
export function eventRow(event: ProjectEvent): Row {
  const { at, member, role, by, message, commit, run_url, token_name, client, release_id, publisher_id, token_id } =
    event;
  const isByJob = by === null && publisher_id !== undefined;
  const what = [
    eventInWords(event),
    message && ` · ${printable(message)}`,
    member !== undefined && ` · ${nameOf(member)}`,
    role && ` as ${role}`,
  ];
  const details = [
    (by || isByJob) && `by ${by ? nameOf(by) : "a CI job"}`,
    token_id && `token ${token_name === undefined ? token_id : printable(token_name)}`,
    client && clientsInWords[client],
    commit && `commit ${printable(commit.slice(0, 12))}`,
    run_url && `run ${printable(run_url)}`,
    release_id && `release ${release_id}`,
  ].filter(Boolean);
  return {
    cells: [minute(at), what.filter(Boolean).join("")],
    ...(details.length > 0 && { below: details.join(", ") }),
  };
}
