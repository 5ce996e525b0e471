import type { Account } from "../../../functions/entities/account.ts";
import type { ReleaseChange } from "../../../functions/entities/notice.ts";

/** What may be told to everybody of a change, with the name that is public now. @param by who did it, if that is an account */
export function publicChange<Change extends Omit<ReleaseChange, "type"> & { readonly type: string }>(
  { type, at, releaseId, release = {}, credential }: Change,
  by: Account | undefined,
) {
  const { act, number, message, tokenName, client, run, scheduledFor, scheduleEnd } = release;
  const commit = run?.commit ?? release.commit;
  return {
    ...{ type: type as Change["type"], at, credential },
    ...(act && { act }),
    ...(scheduledFor && { scheduled_for: scheduledFor }),
    ...(scheduleEnd && { schedule_end: scheduleEnd }),
    release: {
      ...(releaseId && { id: releaseId }),
      ...(number !== undefined && { number }),
      ...(message !== undefined && { message }),
    },
    ...(by && { by: { uid: by.uid, name: by.displayName ?? by.name } }),
    ...(tokenName !== undefined && { token_name: tokenName }),
    ...(client && { client }),
    ...(commit && { commit }),
  };
}
