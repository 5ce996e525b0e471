import { Undo2 } from "lucide";
import type { ComponentChildren } from "preact";
import { bytesInWords, counted } from "../../format.ts";
import { GamePicture } from "../../parts/avatar.tsx";
import { Button } from "../../parts/button.tsx";
import { lazy } from "../../parts/lazy.tsx";
import type { LoadedList } from "../../parts/list.tsx";
import { Time, When } from "../../parts/time.tsx";
import type { ListedRelease, Project, Release } from "../../resources.ts";
import { FromTerminal } from "../first-steps.tsx";
import { titleOf } from "../releases/make-live.tsx";
import { ReleasePicture, ReleaseState } from "../releases/release-row.tsx";
import { tabUrl } from "./project-header.tsx";

const OptionNumbers = lazy(async () => (await import("../lazy-views.ts")).OptionNumbers);
const LatestEvents = lazy(async () => (await import("../lazy-views.ts")).LatestEvents);

interface OverviewProps {
  readonly project: Project;
  readonly list: LoadedList<ListedRelease>;
  readonly onMakeLive: (release: Release) => void;
  /** Area to drop the next release on; nothing if the project cannot be changed. */
  readonly dropArea: ComponentChildren;
}

/** The live release, the area to drop the next one on, and the latest events. */
export function Overview({ project, list, onMakeLive, dropArea }: OverviewProps) {
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
      <div class={isLive && dropArea ? "grid two" : "grid"}>
        {isLive && <LiveCard project={project} list={list} onMakeLive={onMakeLive} />}
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
            <LatestEvents slug={slug} version={project.updated_at} />
          </div>
        </>
      ) : (
        <FromTerminal
          steps={[
            { title: "See what would be published", command: `svc publish . --project ${slug} --dry-run` },
            { title: "Publish", command: `svc publish . --project ${slug}` },
          ]}
        />
      )}
    </div>
  );
}

interface LiveCardProps extends Pick<OverviewProps, "project" | "list" | "onMakeLive"> {}

/** The release that players get now, and the way back to the one before. */
function LiveCard({ project, list, onMakeLive }: LiveCardProps) {
  const { current_release: current } = project;
  const live = list.items?.find(({ id }) => id === current?.id);
  const isEarlier = ({ status, number }: Release) => status === "published" && (number ?? 0) < (live?.number ?? 0);
  const before = list.items?.find(isEarlier);
  return (
    <section class="card live" aria-label="Live release">
      <div class="live-cover">
        <GamePicture project={project} size="cover" />
      </div>
      <div class="live-facts">
        <span class="badge on">Live</span>
        <h2 class="live-title clipped" dir="auto">
          {live ? titleOf(live) : project.name}
        </h2>
        <p class="meta">
          {current && <When it="since" at={current.published_at} />}
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
        {before && (
          <Button icon={Undo2} onClick={() => onMakeLive(before)}>
            Roll back to #{before.number}
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
                {titleOf(release)}
              </h3>
              <p class="meta">
                <Time at={release.published_at ?? release.created_at} />
                {release.published_by && <bdi>{release.published_by.name}</bdi>}
              </p>
            </div>
          </div>
          <ReleaseState release={release} />
        </li>
      ))}
    </ul>
  );
}
