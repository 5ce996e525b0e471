import { Pencil } from "lucide";
import type { ComponentChildren } from "preact";
import { settingInWords, settingNames } from "../../../../contract/api/releases/setting-words.ts";
import { useDashboard } from "../../dashboard.ts";
import { bytesInWords, counted, fileUrl } from "../../format.ts";
import { viewsWithout } from "../../option.ts";
import { Button } from "../../parts/button.tsx";
import { Facts } from "../../parts/facts.tsx";
import { ListSkeleton, type LoadedList } from "../../parts/list.tsx";
import { useLoaded } from "../../parts/loaded.ts";
import { Notice } from "../../parts/notice.tsx";
import { Table } from "../../parts/table.tsx";
import type { ListedRelease, ReleaseChanges } from "../../resources.ts";
import { isPublisher } from "../members/roles.ts";
import { Difference } from "./difference.tsx";
import { ReleaseDownload } from "./download.tsx";
import { ReleaseFiles } from "./files.tsx";
import { ReleaseActions, type ReleaseActionsProps } from "./previews.tsx";
import { Origin, ProvenanceFacts } from "./provenance.tsx";
import { readComparisons } from "./read-comparisons.ts";
import { changesSince, releaseAlone } from "./release-reads.ts";
import { ReleasePicture, ReleaseState, ReleaseText } from "./release-row.tsx";
import { releaseUrl, titleIn } from "./release-titles.ts";

interface ReleasePageProps extends Omit<ReleaseActionsProps, "release"> {
  readonly id: string;
  /** The project's latest releases; an older one is read by itself. */
  readonly list: LoadedList<ListedRelease>;
}

/** All about one release: when and by whom, what is new, what it changed, where it comes from, its files, how it was played. */
export function ReleasePage({ id, list, ...actions }: ReleasePageProps) {
  const { api } = useDashboard();
  const { slug } = actions.project;
  const { items } = list;
  const listed = items?.find((release) => release.id === id);
  const isOlder = items !== undefined && listed === undefined;
  const older = useLoaded(async () => (isOlder ? await releaseAlone(api, slug, id) : undefined), [api, id, isOlder]);
  const release = listed ?? older.value;
  const problem = older.problem ?? (items === undefined ? list.problem : undefined);
  return (
    <article class="release grid" aria-label="Release">
      <nav class="above" aria-label="Breadcrumb">
        <a href={`/projects/${slug}/releases`}>Releases</a> <span aria-hidden="true">/</span>
      </nav>
      {problem !== undefined && <Notice kind="problem">{problem}</Notice>}
      {release === undefined && problem === undefined && <ListSkeleton />}
      {release && <Shown release={release} releases={items ?? []} {...actions} />}
    </article>
  );
}

interface ShownProps extends ReleaseActionsProps {
  readonly releases: readonly ListedRelease[];
}

function Shown({ releases, ...actions }: ShownProps) {
  const { project, release, onPreview, onEditNotes } = actions;
  const { status, message } = release;
  const isGone = status === "withdrawn";
  return (
    <>
      <header class="card">
        <div class="pictured">
          <ReleasePicture project={project} release={release} />
          <ReleaseText project={project} release={release} onPreview={onPreview} isPage />
        </div>
        <div class="row-side">
          <ReleaseState project={project} release={release} />
          <ReleaseActions {...actions} />
        </div>
      </header>
      <div class="grid even">
        <Part title="What is new">
          {message ? (
            <p class="notes" dir="auto">
              {message}
            </p>
          ) : (
            <p class="hint">Nothing is written yet.</p>
          )}
          {!isGone && project.suspension === null && isPublisher(project) && (
            <Button icon={Pencil} onClick={() => onEditNotes(release)}>
              Edit
            </Button>
          )}
        </Part>
        <Source release={release} />
      </div>
      {isGone ? (
        <p class="hint">Its files are deleted, except those that other releases have too.</p>
      ) : (
        <Contents project={project} release={release} releases={releases} />
      )}
    </>
  );
}

function Part({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="card">
      <h3>{title}</h3>
      {children}
    </section>
  );
}

function Source({ release: { provenance, source, returning_players: returning } }: Pick<ShownProps, "release">) {
  return (
    <Part title="Where it comes from">
      {provenance && <ProvenanceFacts of={provenance} />}
      {!provenance && source && (
        <p>
          Its publisher says: <Origin commit={source.commit} run_url={source.run_url ?? undefined} />
        </p>
      )}
      {!provenance && !source && <p class="hint">Its publisher names no commit.</p>}
      {returning && (
        <p class="hint">
          Players who had the last release load {bytesInWords(returning.bytes)} instead of{" "}
          {bytesInWords(returning.without_deltas)}.
        </p>
      )}
    </Part>
  );
}

/** What needs the release's list of files, or what the options know of it. */
function Contents({ project, release, releases }: Pick<ShownProps, "project" | "release" | "releases">) {
  const { api, configuration } = useDashboard();
  const { slug } = project;
  const { id, status, files, bytes } = release;
  const { value: changes, problem } = useLoaded(() => changesSince(api, slug, id), [api, slug, id]);
  const options = viewsWithout(configuration.leftOut ?? []);
  const { value: compare } = useLoaded(() => readComparisons(api, slug, options), [api, slug]);
  const before = changes?.compared_with ?? undefined;
  const played = before ? (compare?.({ of: id, before }) ?? []) : [];
  const home = status === "live" && project.suspension === null ? project.play_url : null;
  return (
    <>
      <div class="grid even">
        <Part title={release.number === null ? "What it would change" : "What it changed"}>
          {problem ? <Notice kind="problem">{problem}</Notice> : <Changes {...{ slug, changes, release, releases }} />}
        </Part>
        <Part title="How its files are sent">
          {changes && (
            <Facts of={settingEntries.map(([name, text]) => [text, settingInWords(changes.settings, name)])} />
          )}
        </Part>
      </div>
      {played.length > 0 && before && (
        <Part title={`How it was played, beside ${titleIn(releases, before)}`}>
          <Table
            label="How it was played"
            look="comparison"
            columns={["", "Before", "This release"]}
            rows={played.flatMap(({ rows }) => rows)}
          />
          {played.map(({ hint }) => (
            <p key={hint} class="hint">
              {hint}
            </p>
          ))}
        </Part>
      )}
      <section class="card" aria-labelledby="files">
        <div class="titled">
          <h3 id="files">
            {counted(files, "file")}, {bytesInWords(bytes)}
          </h3>
          {status !== "open" && project.suspension === null && <ReleaseDownload slug={slug} release={release} />}
        </div>
        <ReleaseFiles slug={slug} id={id} urlOf={home === null ? undefined : (path) => fileUrl(home, path)} />
      </section>
    </>
  );
}

const settingEntries = Object.entries(settingNames) as [keyof typeof settingNames, string][];

interface ChangesProps extends Pick<ShownProps, "release" | "releases"> {
  readonly slug: string;
  readonly changes: (ReleaseChanges & { readonly compared_with: string | null }) | undefined;
}

function Changes({ slug, changes, release, releases }: ChangesProps) {
  const before = releases.find(({ id }) => id === changes?.compared_with);
  return (
    <>
      {changes && (
        <p class="hint">
          {changes.compared_with ? (
            <>
              Beside{" "}
              <a href={releaseUrl(slug, changes.compared_with)} dir="auto">
                {titleIn(releases, changes.compared_with)}
              </a>
              {before && `, ${sizeChange(release.bytes - before.bytes)}`}
            </>
          ) : (
            "There is no release before it."
          )}
        </p>
      )}
      <Difference changes={changes} added="are new" />
    </>
  );
}

function sizeChange(bytes: number): string {
  if (bytes === 0) return "as large";
  return `${bytesInWords(Math.abs(bytes))} ${bytes > 0 ? "larger" : "smaller"}`;
}
