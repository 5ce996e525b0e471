import { exactTime, lastUse, relativeTime } from "../format.ts";

export function Time({ at }: { at: string }) {
  return (
    <time dateTime={at} title={exactTime(at)}>
      {relativeTime(at)}
    </time>
  );
}

/** When a token was used last, no more exactly than that is recorded. */
export function LastUse({ at }: { at: string | null }) {
  if (at === null) return <>never used</>;
  return (
    <time dateTime={at} title={`Recorded at most once an hour, last on ${exactTime(at)}`}>
      used {lastUse(at)}
    </time>
  );
}
