import { withoutHiddenCharacters } from "../../../contract/api/visible-text.ts";
import type { Notice } from "../contract/notice.ts";

/**
 * Writes notices to the function's log, one JSON line each: what the local service does, which has no bus. On a terminal,
 * a line for a person.
 */
export async function sendToLog(notices: readonly Notice[]): Promise<ReadonlySet<string>> {
  const timestamp = new Date().toISOString();
  for (const notice of notices) {
    const line = process.stdout.isTTY
      ? sentence(notice)
      : JSON.stringify({ timestamp, level: "info", message: "Notice", notice });
    process.stdout.write(`${line}\n`);
  }
  return new Set();
}

/** Line such as `12:03:45  Notice to ada: token created (token …66gB)`, in the time zone of this machine. */
function sentence({ type, at, account, token, project, network, expires_at }: Notice): string {
  const details = [
    token && `token …${token.hint ?? token.id}`,
    project && `project ${project}`,
    network && `network ${network}`,
    expires_at && `expires ${expires_at}`,
  ];
  const about = details.filter(Boolean).join(", ");
  const time = new Date(at).toTimeString().slice(0, 8);
  return withoutHiddenCharacters(`${time}  Notice to ${account.uid}: ${type.replaceAll("_", " ")} (${about})`);
}
