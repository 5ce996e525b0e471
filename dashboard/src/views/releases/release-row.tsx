import { useDashboard } from "../../dashboard.ts";
import { bytesInWords, counted } from "../../format.ts";
import { GamePicture } from "../../parts/avatar.tsx";
import { ExactTime, Time, When } from "../../parts/time.tsx";
import type { ListedRelease, Project, Release } from "../../resources.ts";
import { PreviewList, ReleaseActions, type ReleaseActionsProps } from "./previews.tsx";
import { Outward, Vouched } from "./provenance.tsx";
import { releaseUrl, titleOf } from "./release-titles.ts";

const states = {
  live: ["Live", "on"],
  scheduled: ["Scheduled", "soon"],
  waiting: ["Waiting", "soon"],
  preview: ["Preview", "soon"],
  open: ["Not published", "soon"],
  published: ["Earlier", "off"],
  suspended: ["Suspended", "bad"],
  withdrawn: ["Deleted", "off"],
} as const;

export function ReleaseRow(props: ReleaseActionsProps) {
  const { project, release } = props;
  return (
    <>
      <div class="pictured">
        <ReleasePicture project={project} release={release} />
        <ReleaseText {...props} />
      </div>
      <div class="row-side">
        <ReleaseState project={project} release={release} />
        <ReleaseActions {...props} />
      </div>
    </>
  );
}

interface ReleaseTextProps extends Pick<ReleaseActionsProps, "project" | "release" | "onPreview"> {
  /** It stands on the release's own page, which has a part for where it comes from. */
  readonly isPage?: true;
}

/** What a release is called, when it was published and by whom, and where it can be looked at. */
export function ReleaseText({ project, release, onPreview, isPage }: ReleaseTextProps) {
  const { id, files, bytes, message, source, provenance, previews, schedule, false_copies: falseCopies } = release;
  return (
    <div class="row-main">
      {isPage ? (
        <h2 dir="auto">{titleOf(release)}</h2>
      ) : (
        <h3 class="clipped" dir="auto">
          <a href={releaseUrl(project.slug, id)}>{titleOf(release)}</a>
        </h3>
      )}
      <WhenAndByWhom release={release} />
      {schedule && (
        <p class="meta">
          <span>
            goes live <ExactTime at={schedule.at} />, scheduled <By publisher={schedule.by} />
          </span>
        </p>
      )}
      {!isPage && (
        <p class="meta">
          <span>
            {counted(files, "file")}, {bytesInWords(bytes)}
          </span>
          {provenance && <Vouched of={provenance} />}
          {source && !provenance && <Commit source={source} isTitle={message === null} />}
        </p>
      )}
      {falseCopies > 0 && (
        <p class="meta">
          <span>
            {counted(falseCopies, "compressed copy", "compressed copies")}{" "}
            {falseCopies === 1 ? "is not the file and is" : "are not their files and are"} never sent
          </span>
        </p>
      )}
      <PreviewList project={project} previews={previews} onChanged={onPreview} />
    </div>
  );
}

/** What a release is for players now. */
export function ReleaseState({ project, release }: Pick<ReleaseActionsProps, "project" | "release">) {
  const [label, look] = states[stateOf(project, release)];
  return <span class={`badge ${look}`}>{label}</span>;
}

/** Nobody plays a suspended project: the release that was live is so again only when the operator ends that. */
function stateOf({ suspension }: Project, { status, previews, waiting, schedule }: ListedRelease): keyof typeof states {
  if (suspension && status === "live") return "suspended";
  if (schedule) return "scheduled";
  if (status !== "open") return status;
  if (waiting) return "waiting";
  return previews.length > 0 ? "preview" : "open";
}

/** The game's picture for what is live; the number for the others, whose pictures the service does not serve. */
export function ReleasePicture({
  project,
  release: { status, number },
}: Pick<ReleaseActionsProps, "project" | "release">) {
  if (status === "live") return <GamePicture project={project} isDecoration />;
  return (
    <span class="picture" aria-hidden="true">
      {number === null ? "–" : `#${number}`}
    </span>
  );
}

/** When it was first published and by whom, and, if it was made live again or deleted since then, when that was last. */
function WhenAndByWhom({ release }: { release: ListedRelease }) {
  const { created_at: created, expires_at: expires } = release;
  const { published_at: last, first_published_at: first, withdrawn_at: withdrawn, waiting } = release;
  if (first === null || last === null)
    return (
      <p class="meta">
        {waiting ? (
          <span>
            published <ExactTime at={waiting.since} /> <By publisher={waiting.by} />, waits for a person
          </span>
        ) : (
          <When it="opened" at={created} />
        )}
        {expires && <When it="deleted" at={expires} />}
        {release.previews.length === 0 && !waiting && !release.schedule && (
          <span>to go on, choose the same files again</span>
        )}
      </p>
    );
  return (
    <p class="meta">
      <span>
        published <ExactTime at={first} /> <By publisher={release.first_published_by} />
      </span>
      {last !== first && (
        <span>
          made live again <Time at={last} /> <By publisher={release.published_by} />
        </span>
      )}
      {withdrawn && <When it="deleted" at={withdrawn} />}
    </p>
  );
}

interface CommitProps {
  readonly source: NonNullable<Release["source"]>;
  /** The release's title says it already. */
  readonly isTitle: boolean;
}

/** The commit that a release was built from, as its publisher says; a link to the CI job if it names one. */
function Commit({ source: { commit, run_url: runUrl }, isTitle }: CommitProps) {
  const text = isTitle ? runUrl && "CI job" : <code title={commit}>commit {commit.slice(0, 7)}</code>;
  return <Outward to={runUrl?.startsWith("https://") ? runUrl : undefined}>{text || null}</Outward>;
}

function By({ publisher }: { publisher: Release["published_by"] }) {
  const { user } = useDashboard().account;
  if (publisher === null) return null;
  const { uid, name, token } = publisher;
  const means = token === null ? "on the dashboard" : token.name ? `with the token “${token.name}”` : "with a token";
  return (
    <>
      by {uid === user.uid ? "you" : <bdi>{name}</bdi>}, {means}
    </>
  );
}
