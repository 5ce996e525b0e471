import { Undo2 } from "lucide";
import type { ComponentChildren } from "preact";
import { bytesInWords, counted } from "../../format.ts";
import { GamePicture } from "../../parts/avatar.tsx";
import { Button } from "../../parts/button.tsx";
import type { LoadedList } from "../../parts/list.tsx";
import { Lasting, Time } from "../../parts/time.tsx";
import { tabUrl } from "../../project-place.ts";
import type { ListedRelease, Project, Release } from "../../resources.ts";
import { FromTerminal } from "../first-steps.tsx";
import { isPublisher } from "../members/roles.ts";
import { OptionNumbers } from "../option-views.tsx";
import { PlayPreview, type ReleaseActionsProps } from "../releases/previews.tsx";
import { ReleasePicture, ReleaseRow, ReleaseState } from "../releases/release-row.tsx";
import { releaseUrl, titleOf } from "../releases/release-titles.ts";
import { LatestEvents } from "./history.tsx";

interface OverviewProps
  extends Pick<ReleaseActionsProps, "onMakeLive" | "onEditNotes" | "onDelete" | "onPreview" | "onScheduled"> {
  readonly project: Project;
  readonly list: LoadedList<ListedRelease>;
  readonly onRollBack: (release: Release) => void;
  /** Area to drop the next release on; nothing if the project cannot be changed. */
  readonly dropArea: ComponentChildren;
}

/** The live release, the area to drop the next one on, and the latest events. */
export function Overview({ dropArea, ...rest }: OverviewProps) {
  const { project, list, onRollBack } = rest;
  const { slug, current_release: current, suspension } = project;
  const isLive = current !== null && suspension === null;
  const hasReleases = list.items === undefined || list.items.length > 0;
  return (
    <div class="grid">
      {!isLive && project.description && (
        <p class="lead" dir="auto">
          {project.description}
        </p>
      )}
      <Waiting {...rest} />
      <Scheduled {...rest} />
      <div class={isLive && dropArea ? "grid two" : "grid"}>
        {isLive && <LiveCard project={project} list={list} onRollBack={onRollBack} />}
        {dropArea}
      </div>
      {hasReleases ? (
        <>
          {(isLive || (list.items?.some(({ number }) => number !== null) ?? false)) && <OptionNumbers slug={slug} />}
          <div class="grid two">
            <section class="card" aria-labelledby="latest">
              <div class="titled">
                <h2 id="latest">Latest releases</h2>
                <a class="more-link" href={tabUrl(slug, "releases")}>
                  All<span class="visually-hidden"> releases</span>
                </a>
              </div>
              <LatestReleases project={project} releases={list.items} />
            </section>
            <LatestEvents slug={slug} releases={list.items} version={`${project.updated_at} ${project.schedule?.at}`} />
          </div>
        </>
      ) : isPublisher(project) ? (
        <FromTerminal
          steps={[
            { title: "See what would be published", command: `svc publish . --project ${slug} --dry-run` },
            { title: "Publish", command: `svc publish . --project ${slug}` },
          ]}
        />
      ) : (
        <p class="hint">Nothing published yet.</p>
      )}
    </div>
  );
}

/** Releases that tokens and CI jobs have published since the live one went live first, and a person makes live or deletes. */
function Waiting({ project, list, ...actions }: Omit<OverviewProps, "dropArea">) {
  const items = list.items ?? [];
  const live = items.find(({ id }) => id === project.current_release?.id);
  const waiting = items.filter((release) => (release.waiting?.since ?? "") > (live?.first_published_at ?? ""));
  if (waiting.length === 0 || !isPublisher(project)) return null;
  return (
    <section class="card" aria-labelledby="waiting">
      <h2 id="waiting">Waiting for you</h2>
      <p class="hint">
        Players keep what is live. <i>Make live</i> shows what changes, and asks you to sign in if you have not just
        done so.
      </p>
      <Rows project={project} releases={waiting} {...actions} />
    </section>
  );
}

/** The release that goes live by itself, if the first page of releases has it. */
function Scheduled({ project, list, ...actions }: Omit<OverviewProps, "dropArea">) {
  const scheduled = (list.items ?? []).filter(({ schedule }) => schedule !== null);
  if (scheduled.length === 0) return null;
  return (
    <section class="card" aria-labelledby="scheduled">
      <h2 id="scheduled">Goes live by itself</h2>
      <Rows project={project} releases={scheduled} {...actions} />
    </section>
  );
}

interface RowsProps extends Omit<OverviewProps, "list" | "dropArea"> {
  readonly releases: readonly ListedRelease[];
}

function Rows({ releases, ...rest }: RowsProps) {
  return (
    <ul class="rows in-card">
      {releases.map((release) => (
        <li key={release.id} class="row">
          <ReleaseRow release={release} {...rest} />
        </li>
      ))}
    </ul>
  );
}

interface LiveCardProps extends Pick<OverviewProps, "project" | "list" | "onRollBack"> {}

/** The release that players get now, and the way back to the one before. */
function LiveCard({ project, list, onRollBack }: LiveCardProps) {
  const { current_release: current } = project;
  const live = list.items?.find(({ id }) => id === current?.id);
  const isEarlier = ({ status, number }: Release) => status === "published" && (number ?? 0) < (live?.number ?? 0);
  const previousRelease = list.items?.find(isEarlier);
  return (
    <section class="card live" aria-labelledby="live">
      <div class="live-cover">
        <GamePicture project={project} size="cover" />
      </div>
      <div class="live-facts">
        <h2 id="live" class="live-heading">
          <span class="dot on" />
          Live release
        </h2>
        <h3 class="live-title clipped" dir="auto">
          {live ? <a href={releaseUrl(project.slug, live.id)}>{titleOf(live)}</a> : project.name}
        </h3>
        <p class="meta">
          {current && <Lasting it="live" since={current.published_at} />}
          {live && (
            <span>
              {counted(live.files, "file")}, {bytesInWords(live.bytes)}
            </span>
          )}
        </p>
        {project.description && (
          <p class="clipped" dir="auto">
            {project.description}
          </p>
        )}
        {previousRelease && isPublisher(project) && (
          <Button icon={Undo2} onClick={() => onRollBack(previousRelease)}>
            Roll back to #{previousRelease.number}
          </Button>
        )}
      </div>
    </section>
  );
}

const releasesShown = 3;

function LatestReleases({ project, releases }: { project: Project; releases: readonly ListedRelease[] | undefined }) {
  if (releases === undefined) return <p role="status">Loading…</p>;
  return (
    <ul class="rows in-card">
      {releases.slice(0, releasesShown).map((release) => (
        <li key={release.id} class="row">
          <div class="pictured">
            <ReleasePicture project={project} release={release} />
            <div class="row-main">
              <h3 class="clipped" dir="auto">
                <a href={releaseUrl(project.slug, release.id)}>{titleOf(release)}</a>
              </h3>
              <p class="meta">
                <Time at={release.published_at ?? release.created_at} />
                {release.published_by && <bdi>{release.published_by.name}</bdi>}
              </p>
            </div>
          </div>
          <div class="row-side">
            <ReleaseState project={project} release={release} />
            <PlayPreview project={project} release={release} />
          </div>
        </li>
      ))}
    </ul>
  );
}
