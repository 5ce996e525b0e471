import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { serverNow } from "../../../../contract/api/time/server-time.ts";
import { type Dashboard, useDashboard } from "../../dashboard.ts";
import { bytesInWords, counted } from "../../format.ts";
import { messageOf } from "../../messages.ts";
import { type Comparison, viewsWithout } from "../../option.ts";
import { Decision } from "../../parts/decision.tsx";
import { Segments, TextField } from "../../parts/field.tsx";
import { Notice } from "../../parts/notice.tsx";
import { Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import type { Release, ReviewedChanges } from "../../resources.ts";
import { Copies, Difference } from "./difference.tsx";
import { type ChangeProps, unlessOutdated } from "./outdated.ts";
import { readComparisons } from "./read-comparisons.ts";
import { commitOf, titleOf } from "./release-titles.ts";
import { offerUndo } from "./undo.ts";

/** Comparison of the live release with another one: the files, and what the stage's options tell of how both were played. */
interface Compared {
  readonly changes: PromiseSettledResult<ReviewedChanges>;
  readonly plays: PromiseSettledResult<readonly Comparison[]>;
}

/** Loads both together, so that what is shown moves once; one that fails does not hide the other one. */
async function compare(
  { api, configuration: { leftOut = [] } }: Dashboard,
  slug: string,
  target: Release,
  current: string | null,
): Promise<Compared> {
  const [changes, plays] = await Promise.allSettled([
    api.call("GET /projects/:slug/releases/:id/changes", { params: { slug, id: target.id } }),
    target.status === "open" || current === null
      ? []
      : readComparisons(api, slug, viewsWithout(leftOut)).then((of) => of({ of: target.id, before: current })),
  ]);
  return { changes, plays };
}

interface MakeLiveProps extends ChangeProps {
  readonly slug: string;
  /** The id of the live release; the API refuses if another has gone live meanwhile. */
  readonly current: string | null;
  readonly live: Release | undefined;
  readonly target: Release;
  /** The person goes back to it from the one after it. */
  readonly isRollBack: boolean;
  /** Id of the release that goes live by itself, if there is one. */
  readonly scheduled: string | undefined;
}

/**
 * Shows the live release beside another one, an earlier one or that of a preview, then makes the other one live, or lets it go live at a
 * time.
 */
export function MakeLive({ slug, current, live, target, scheduled, isRollBack, ...ends }: MakeLiveProps) {
  const { onDone, onOutdated, onCancel } = ends;
  const dashboard = useDashboard();
  const { api } = dashboard;
  const isNew = target.status === "open";
  const [compared, setCompared] = useState<Compared>();
  useEffect(() => {
    let isWanted = true;
    setCompared(undefined);
    void compare(dashboard, slug, target, current).then((comparisons) => isWanted && setCompared(comparisons));
    return () => {
      isWanted = false;
    };
  }, [api, slug, target.id, current]);
  const [isLater, setLater] = useState(target.schedule !== null);
  const [time, setTime] = useState(() => localTime(target.schedule?.at ?? nextHour()));
  const plays = compared?.plays.status === "fulfilled" ? compared.plays.value : [];
  const beside = (title: string, of: (release: Release) => ComponentChildren) => [
    title,
    live ? of(live) : "–",
    of(target),
  ];
  const makeLive = async () => {
    const params = { slug, id: target.id };
    const body = { expect_current: current };
    const call = api.call("POST /projects/:slug/releases/:id/publish", { params, body });
    const { edge, release } = await unlessOutdated(call, onOutdated);
    await onDone(edge);
    const text = isRollBack ? `Rolled back to #${release.number}.` : `#${release.number} is live.`;
    offerUndo(dashboard, { slug, text, before: current, now: target.id });
  };
  const schedule = async () => {
    const params = { slug, id: target.id };
    const body = { at: wireTime(time), expect_current: current };
    await unlessOutdated(api.call("POST /projects/:slug/releases/:id/schedule", { params, body }), onOutdated);
    await onDone(null);
  };
  const isOther = scheduled !== undefined && scheduled !== target.id;
  return (
    <>
      <Table
        label="Both releases"
        look="comparison"
        columns={["", "Live now", "After"]}
        rows={[
          beside("Release", titleOf),
          beside("Published", ({ first_published_at: at }) => (at ? <Time at={at} /> : "never")),
          beside("Commit", (release) => commitOf(release) ?? "–"),
          beside("Files", ({ files }) => counted(files, "file")),
          beside("Size", ({ bytes }) => bytesInWords(bytes)),
          ...plays.flatMap(({ rows }) => rows),
        ]}
      />
      {plays.map(({ hint }) => (
        <p key={hint} class="hint">
          {hint}
        </p>
      ))}
      <Unknown title="How both were played" part={compared?.plays} />
      <Unknown title="What it changes" part={compared?.changes} />
      {compared?.changes.status !== "rejected" && (
        <Difference changes={compared?.changes.value} added={isNew ? "are new" : "come back"} />
      )}
      {compared?.changes.status === "fulfilled" && <Copies copies={compared.changes.value.copies} />}
      <Segments
        legend="When"
        name="when"
        choices={[
          ["now", "Now"],
          ["later", "At a time"],
        ]}
        chosen={isLater ? "later" : "now"}
        onChosen={(when) => setLater(when === "later")}
      />
      {isLater && (
        <TextField
          label="Day and time"
          type="datetime-local"
          hint={`In your time zone, ${zone()}. It goes live by itself then, or at most a minute later, unless another release goes live before.`}
          value={time}
          onValue={setTime}
        />
      )}
      <p class="hint">
        {isLater ? "Players get it with their next visit after that." : "Players get it with their next visit."}{" "}
        {current && "The release that is live now stays in the list."}{" "}
        {isOther && "Another release is scheduled: it does not go live by itself any more then."}
      </p>
      {isLater ? (
        <Decision kind="primary" submit="Schedule" doing="Scheduling…" onDecided={schedule} onCancel={onCancel} />
      ) : (
        <Decision
          kind="primary"
          submit={isRollBack ? "Roll back" : "Make live"}
          doing={isRollBack ? "Rolling back…" : "Making it live…"}
          onDecided={makeLive}
          onCancel={onCancel}
        />
      )}
    </>
  );
}

function nextHour(): string {
  const hour = new Date(serverNow());
  hour.setHours(hour.getHours() + 1, 0, 0, 0);
  return hour.toISOString();
}

/** A time as a field of the browser has it, in the zone of the person. */
function localTime(at: string): string {
  const time = new Date(at);
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** What such a field has, as the API takes it; what is no time it refuses. */
function wireTime(local: string): string {
  const time = new Date(local);
  return Number.isNaN(time.getTime()) ? local : time.toISOString();
}

function zone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Why a part of the comparison is missing, if it could not be read. */
function Unknown({ title, part }: { title: string; part: PromiseSettledResult<unknown> | undefined }) {
  if (part?.status !== "rejected") return null;
  return (
    <Notice kind="problem">
      {title} cannot be shown: {messageOf(part.reason)}
    </Notice>
  );
}
