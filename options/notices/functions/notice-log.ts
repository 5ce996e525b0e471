import { eventInWords } from "../../../contract/api/accounts/event-words.ts";
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
      : JSON.stringify({ timestamp, level: "info", message: "Notice", notice: withoutTexts(notice) });
    process.stdout.write(`${line}\n`);
  }
  return new Set();
}

/** A notice without what people wrote: names, and messages of releases. No log has them. */
function withoutTexts({ changes, ...notice }: Notice) {
  if (changes === undefined) return notice;
  return {
    ...notice,
    changes: changes.map(
      ({ by, token_name: _name, commit: _commit, release: { message: _message, ...release }, ...rest }) => ({
        ...{ ...rest, release },
        ...(by && { by: { uid: by.uid } }),
      }),
    ),
  };
}

/** Line such as `12:03:45  Notice to ada: token created (token …66gB)`, in the time zone of this machine. */
function sentence({ type, at, account, token, project, network, expires_at, changes = [] }: Notice): string {
  const details = [
    token && `token …${token.hint ?? token.id}`,
    project && `project ${project}`,
    network && `network ${network}`,
    expires_at && `expires ${expires_at}`,
    ...changes.map(({ type: change, act, release }) =>
      eventInWords({ type: change, act, release_number: release.number }),
    ),
  ];
  const about = details.filter(Boolean).join(", ");
  const time = new Date(at).toTimeString().slice(0, 8);
  return withoutHiddenCharacters(`${time}  Notice to ${account.uid}: ${type.replaceAll("_", " ")} (${about})`);
}
