import { exactTime, lastingTime, lastUse, relativeTime } from "../format.ts";

export function Time({ at }: { at: string }) {
  return (
    <time dateTime={at} title={exactTime(at)}>
      {relativeTime(at)}
    </time>
  );
}

/** Event and its time, in the future or the past, in a line of facts. */
export function When({ it, at }: { it: string; at: string }) {
  return (
    <span>
      {it} <Time at={at} />
    </span>
  );
}

/** State and how long it has lasted, in a line of facts: "live for 3 minutes". @param since when it began */
export function Lasting({ it, since }: { it: string; since: string }) {
  return (
    <span>
      {it}{" "}
      <time dateTime={since} title={exactTime(since)}>
        {lastingTime(since)}
      </time>
    </span>
  );
}

/** A time with the exact time beside it: of a release, which a person looks for by it. */
export function ExactTime({ at }: { at: string }) {
  return (
    <>
      <Time at={at} /> ({exactTime(at)})
    </>
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
