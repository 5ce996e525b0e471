import { type Dispatch, type StateUpdater, useEffect, useState } from "preact/hooks";
import { optionTabs } from "../../../../options/dashboard.ts";
import { useDashboard } from "../../dashboard.ts";
import { messageOf } from "../../messages.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { EdgeNotice } from "../../parts/edge-notice.tsx";
import { lazy } from "../../parts/lazy.tsx";
import { ListSkeleton, useList } from "../../parts/list.tsx";
import { Notice } from "../../parts/notice.tsx";
import { Page } from "../../parts/page.tsx";
import { Time } from "../../parts/time.tsx";
import { TrafficLimited } from "../../parts/traffic-limited.tsx";
import { allProjects } from "../../projects.ts";
import type { Edge, Project, Release } from "../../resources.ts";
import { usePublishArea } from "../publishing/publish-area.tsx";
import { MakeLive } from "../releases/make-live.tsx";
import { releasesPage } from "../releases/previews.tsx";
import { ReleasesTab } from "../releases/releases-tab.tsx";
import { Overview } from "./overview.tsx";
import { ProjectHeader, type Tab } from "./project-header.tsx";
import { DeletedProject } from "./projects.tsx";

/** Place in a project's URL: its tab, and a view inside of the tab. */
export interface ProjectPlace {
  readonly slug: string;
  readonly tab: Tab;
  /** The id of something in an option's tab, or `history`. */
  readonly inside: string | undefined;
  /** The id of what is shown beside it. */
  readonly other: string | undefined;
}

/** One project, with a tab for each thing that one does with it. */
export function ProjectPage({ place }: { place: ProjectPlace }) {
  const { api } = useDashboard();
  const { slug } = place;
  const [found, setFound] = useState<Project | "none">();
  const [problem, setProblem] = useState<string>();
  const [edge, setEdge] = useState<Edge>(null);
  const [open, setOpen] = useState<Open>();
  const load = async () => {
    // The lists are what the people of a project see, with their role and the suspension.
    const listed = async (state: "active" | "deleted") =>
      (await allProjects(api, state)).find((one) => one.slug === slug);
    setFound((await listed("active")) ?? (await listed("deleted")) ?? "none");
  };
  // It never rejects: a change that has succeeded must not look as if it had failed.
  const reload = async () => {
    setProblem(await load().then(() => undefined, messageOf));
  };
  useEffect(() => void reload(), [slug]);
  const restored = async (edge: Edge) => {
    setEdge(edge);
    await reload();
  };
  if (found === "none" || (found === undefined && problem !== undefined))
    return (
      <Page title={slug} above={projects}>
        <Notice kind="problem">
          {problem ?? "You have no project at this address. It may be deleted, or you are not a member of it any more."}
        </Notice>
      </Page>
    );
  if (found?.deletion)
    return (
      <Page title={found.name} above={projects} lead="You have deleted this project.">
        <div class="rows">
          <div class="row">
            <DeletedProject project={found} onRestored={restored} />
          </div>
        </div>
      </Page>
    );
  // The header stays as it is when the project comes, with its focus and what is being clicked.
  return (
    <div class="project">
      <ProjectHeader
        slug={slug}
        project={found}
        tab={place.tab}
        onShare={() => setOpen({ what: "share" })}
        onTakeOffline={() => setOpen({ what: "take offline" })}
      />
      {found === undefined ? (
        <div class="page">
          <ListSkeleton />
        </div>
      ) : (
        <Loaded {...{ place, problem, edge, open, setOpen }} project={found} onEdge={setEdge} onChanged={reload} />
      )}
    </div>
  );
}

const projects = { href: "/", title: "Projects" };

type Open =
  | { readonly what: "make live" | "delete"; readonly release: Release }
  | { readonly what: "take offline" | "share" };

interface LoadedProps {
  readonly project: Project;
  readonly place: ProjectPlace;
  /** Why it could not be read anew. */
  readonly problem: string | undefined;
  /** Whether the games' edge has the last change. */
  readonly edge: Edge;
  readonly open: Open | undefined;
  readonly setOpen: Dispatch<StateUpdater<Open | undefined>>;
  readonly onEdge: (edge: Edge) => void;
  readonly onChanged: () => Promise<void>;
}

function Loaded({ project, place, problem, edge, open, setOpen, onEdge, onChanged }: LoadedProps) {
  const { api } = useDashboard();
  const { slug, name, current_release: current } = project;
  // A dialog is about the project as it was: it does not come back with a project that was deleted and is restored.
  useEffect(() => () => setOpen(undefined), []);
  const list = useList(`releases of ${slug}`, (cursor) => releasesPage(api, slug, cursor));
  const isSuspended = project.suspension !== null;
  const refresh = async () => {
    await Promise.all([onChanged(), list.reload()]);
  };
  const close = () => setOpen(undefined);
  // First the page, so that the focus goes back to something that stays. The person may have opened something else by then.
  const changed = async (edge: Edge) => {
    onEdge(edge);
    await refresh();
    setOpen((now) => (now === open ? undefined : now));
  };
  const dropArea = usePublishArea(isSuspended ? undefined : project, place.tab, (edge) => {
    if (edge !== undefined) onEdge(edge);
    void refresh();
  });
  const makeLive = (release: Release) => setOpen({ what: "make live", release });
  return (
    <>
      <div class="page">
        {problem && <Notice kind="problem">{`What this page shows may be of before: ${problem}`}</Notice>}
        <Suspended project={project} />
        {!isSuspended && <TrafficLimited until={project.traffic_limited_until} />}
        <EdgeNotice edge={edge} />
        {place.tab === "overview" && !place.inside && (
          <Overview project={project} list={list} onMakeLive={makeLive} dropArea={dropArea} />
        )}
        {place.tab === "overview" && place.inside && <History slug={slug} />}
        {place.tab === "releases" && (
          <ReleasesTab
            project={project}
            list={list}
            onMakeLive={makeLive}
            onDelete={(release) => setOpen({ what: "delete", release })}
            onPreview={async (edge) => {
              onEdge(edge);
              await list.reload();
            }}
            dropArea={dropArea}
          />
        )}
        {Object.hasOwn(optionTabs, place.tab) && (
          <OptionTab key={place.tab} project={project} tab={place.tab} inside={place.inside} other={place.other} />
        )}
        {place.tab === "settings" && <SettingsTab project={project} onSaved={() => changed(edge)} />}
      </div>
      {open?.what === "share" && project.play_url && (
        <Dialog title={`Share ${name}`} onClose={close}>
          <ShareLive url={project.play_url} name={name} slug={slug} />
          <div class="actions">
            <Button onClick={close}>Close</Button>
          </div>
        </Dialog>
      )}
      {open?.what === "take offline" && (
        <Dialog title={`Take ${name} offline?`} onClose={close}>
          <TakeOffline project={project} onDone={changed} onOutdated={refresh} onCancel={close} />
        </Dialog>
      )}
      {open?.what === "delete" && (
        <Dialog title="Delete this release?" onClose={close}>
          <DeleteRelease slug={slug} target={open.release} onDone={changed} onOutdated={refresh} onCancel={close} />
        </Dialog>
      )}
      {open?.what === "make live" && (
        <Dialog title="Make this release live?" onClose={close}>
          <MakeLive
            slug={slug}
            current={current?.id ?? null}
            live={list.items?.find(({ id }) => id === current?.id)}
            target={open.release}
            onDone={changed}
            onOutdated={refresh}
            onCancel={close}
          />
        </Dialog>
      )}
    </>
  );
}

const ShareLive = lazy(async () => (await import("../lazy-views.ts")).ShareLive);
const TakeOffline = lazy(async () => (await import("../lazy-views.ts")).TakeOffline);
const DeleteRelease = lazy(async () => (await import("../lazy-views.ts")).DeleteRelease);
const History = lazy(async () => (await import("../lazy-views.ts")).History);
const OptionTab = lazy(async () => (await import("../lazy-views.ts")).OptionTab);
const SettingsTab = lazy(async () => (await import("../lazy-views.ts")).SettingsTab);

/** Says that the operator has suspended a project, and why. */
function Suspended({ project: { suspension } }: { project: Project }) {
  if (suspension === null) return null;
  return (
    <Notice kind="problem">
      <p>
        The operator suspended this project <Time at={suspension.at} />: {suspension.reason.replaceAll("_", " ")}.
        Nobody can play it and you cannot change it. Ask the operator.
      </p>
    </Notice>
  );
}
