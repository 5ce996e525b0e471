import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { settingNames } from "../../../../contract/api/releases/setting-words.ts";
import { ApiError } from "../../../../contract/api-error.ts";
import { options } from "../../../../options/dashboard.ts";
import type { Api } from "../../api.ts";
import { type Dashboard, useDashboard } from "../../dashboard.ts";
import { bytesInWords, counted, exactTime } from "../../format.ts";
import { messageOf } from "../../messages.ts";
import type { ComparedReleases, Comparison } from "../../option.ts";
import { Decision } from "../../parts/decision.tsx";
import { Notice } from "../../parts/notice.tsx";
import { Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import type { Edge, Release, ReleaseChanges, ReviewedChanges } from "../../resources.ts";

/** Its number, and what its publisher says of it or else what tells it from the others. */
export function titleOf(release: Release): string {
  const { message, number, created_at: created } = release;
  const commit = commitOf(release);
  const title = message ?? (commit && `Commit ${commit}`);
  if (number === null) return title ?? `Release of ${exactTime(created)}`;
  return title ? `#${number} ${title}` : `Release #${number}`;
}

/** Commit of a release: the one that a CI provider vouched for counts before the one that the publisher named. */
function commitOf({ source, provenance }: Release): string | undefined {
  return (provenance ?? source)?.commit.slice(0, 7);
}

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
      : comparePlays(api, slug, { of: target.id, before: current }, leftOut),
  ]);
  return { changes, plays };
}

async function comparePlays(api: Api, slug: string, ids: ComparedReleases, leftOut: readonly string[]) {
  const wanted = options.filter(({ name }) => !leftOut.includes(name));
  const found = await Promise.all(wanted.map(({ compare }) => compare?.(api, slug, ids)));
  return found.filter((comparison) => comparison !== undefined);
}

/** The ends of a dialog that changes what is live. */
export interface ChangeProps {
  /** @param edge whether players see it by now */
  readonly onDone: (edge: Edge) => Promise<void>;
  /** Another release has gone live since the page was read. */
  readonly onOutdated: () => Promise<void>;
  readonly onCancel: () => void;
}

interface MakeLiveProps extends ChangeProps {
  readonly slug: string;
  /** The id of the live release; the API refuses if another has gone live meanwhile. */
  readonly current: string | null;
  readonly live: Release | undefined;
  readonly target: Release;
}

/** Shows the live release beside another one, an earlier one or that of a preview, then makes the other one live. */
export function MakeLive({ slug, current, live, target, onDone, onOutdated, onCancel }: MakeLiveProps) {
  const dashboard = useDashboard();
  const { api } = dashboard;
  const isNew = target.status === "open";
  const [compared, setCompared] = useState<Compared>();
  useEffect(() => {
    let isWanted = true;
    setCompared(undefined);
    void compare(dashboard, slug, target, current).then((found) => isWanted && setCompared(found));
    return () => {
      isWanted = false;
    };
  }, [api, slug, target.id, current]);
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
    const { edge } = await unlessOutdated(call, onOutdated);
    await onDone(edge);
  };
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
      <p class="hint">
        Players get it with their next visit. {current && "The release that is live now stays in the list."}
      </p>
      <Decision kind="primary" submit="Make live" doing="Making it live…" onDecided={makeLive} onCancel={onCancel} />
    </>
  );
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

const outdated: readonly ApiError["code"][] = ["current_release_changed", "release_live"];

/**
 * A change that expects a certain release to be live, or not to be. If that is not so, the page is read again, so that the
 * person sees it before they decide again.
 *
 * @throws ApiError
 */
export async function unlessOutdated<T>(change: Promise<T>, onOutdated: () => Promise<void>): Promise<T> {
  try {
    return await change;
  } catch (error) {
    if (error instanceof ApiError && outdated.includes(error.code)) await onOutdated();
    throw error;
  }
}

interface DifferenceProps {
  readonly changes: ReleaseChanges | undefined;
  /** Verb for the files that the live release lacks. */
  readonly added: "come back" | "are new";
}

/** Files that players would get then: their number, and the paths after a click. */
export function Difference({ changes, added }: DifferenceProps) {
  if (changes === undefined) return <p class="difference">Comparing the files…</p>;
  const kinds = [
    ["changed", "change"],
    ["added", added],
    ["removed", "go away"],
  ] as const;
  const different = kinds.filter(([kind]) => changes[kind].count > 0);
  const settings = changes.changed_settings.map((setting) => settingNames[setting]);
  return (
    <div class="difference">
      {different.length === 0 && <p>The files are the same.</p>}
      {different.map(([kind, verb]) => (
        <Paths key={kind} look={kind} of={changes[kind]} verb={changes[kind].count === 1 ? singular[verb] : verb} />
      ))}
      {settings.length > 0 && <p>Settings change: {settings.join(", ")}.</p>}
    </div>
  );
}

interface PathsProps {
  readonly of: ReleaseChanges["changed"];
  /** What the files do. */
  readonly verb: string;
  readonly look?: string;
}

/** A number of files, and their paths after a click. */
function Paths({ of: { count, paths }, verb, look }: PathsProps) {
  return (
    <details class={look}>
      <summary>
        {counted(count, "file")} {verb}
      </summary>
      <ul>
        {paths.slice(0, pathsShown).map((path) => (
          <li key={path}>
            <code>{path}</code>
          </li>
        ))}
      </ul>
      {count > pathsShown && <p class="hint">and {count - pathsShown} more</p>}
    </details>
  );
}

/** Deltas that the live release does not have, and copies that are not their files. */
function Copies({ copies: { checked, deltas, false: wrong } }: Pick<ReviewedChanges, "copies">) {
  return (
    <div class="difference">
      {deltas.count > 0 && <Paths of={deltas} verb={deltas.count === 1 ? "has a new delta" : "have new deltas"} />}
      {wrong.count > 0 && (
        <Notice kind="problem">
          <Paths
            of={wrong}
            verb={`${wrong.count === 1 ? "has" : "have"} a compressed copy or a delta that is not the file`}
          />
          <p>Such copies are never sent. Players load these files whole.</p>
        </Notice>
      )}
      {!checked && <p class="hint">Compressed copies are still being checked. Until then players load whole files.</p>}
    </div>
  );
}

const pathsShown = 100;
const singular = {
  change: "changes",
  "come back": "comes back",
  "are new": "is new",
  "go away": "goes away",
} as const;
