import { type Dispatch, type StateUpdater, useEffect, useState } from "preact/hooks";
import { useDashboard } from "../../dashboard.ts";
import { messageOf } from "../../messages.ts";
import { optionOfTab } from "../../option.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { EdgeNotice } from "../../parts/edge-notice.tsx";
import { ListSkeleton, type LoadedList, useList } from "../../parts/list.tsx";
import { Notice } from "../../parts/notice.tsx";
import { Page } from "../../parts/page.tsx";
import { Time } from "../../parts/time.tsx";
import { TrafficLimited } from "../../parts/traffic-limited.tsx";
import type { ProjectPlace } from "../../project-place.ts";
import { readOwnProject } from "../../projects.ts";
import type { Edge, ListedRelease, Project, Release } from "../../resources.ts";
import { lazyView } from "../load-views.ts";
import { isPublisher } from "../members/roles.ts";
import { usePublishArea } from "../publishing/publish-area.tsx";
import { releasesPage } from "../releases/releases-page.ts";
import { ProjectHeader } from "./project-header.tsx";

/** One project, with a tab for each thing that one does with it. */
export function ProjectPage({ place }: { place: ProjectPlace }) {
  const { api } = useDashboard();
  const { slug } = place;
  const [loaded, setLoaded] = useState<Project | "none">();
  const [problem, setProblem] = useState<string>();
  const [edge, setEdge] = useState<Edge>(null);
  const [open, setOpen] = useState<Open>();
  // Beside the project, not after it.
  const list = useList(`releases of ${slug}`, (cursor) => releasesPage(api, slug, cursor));
  const load = async () => {
    setLoaded((await readOwnProject(api, slug)) ?? "none");
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
  if (loaded === "none" || (loaded === undefined && problem !== undefined))
    return (
      <Page title={slug} above={projects}>
        <Notice kind="problem">
          {problem ?? "You have no project at this address. It may be deleted, or you are not a member of it any more."}
        </Notice>
      </Page>
    );
  if (loaded?.deletion)
    return (
      <Page
        title={loaded.name}
        above={projects}
        lead={loaded.suspension ? "This project is closed." : "You have deleted this project."}
      >
        <Suspended project={loaded} />
        <div class="rows">
          <div class="row">
            <DeletedProject project={loaded} onRestored={restored} />
          </div>
        </div>
      </Page>
    );
  // The header stays as it is when the project comes, with its focus and what is being clicked.
  return (
    <div class="project">
      <ProjectHeader
        slug={slug}
        project={loaded}
        tab={place.tab}
        inside={insideTitle(place, list.items)}
        onShare={() => setOpen({ what: "share" })}
        onTakeOffline={() => setOpen({ what: "take offline" })}
      />
      {loaded === undefined ? (
        <div class="page">
          <ListSkeleton />
        </div>
      ) : (
        <Loaded
          {...{ place, list, problem, edge, open, setOpen }}
          project={loaded}
          onEdge={setEdge}
          onChanged={reload}
        />
      )}
    </div>
  );
}

/** The title of a view inside of a tab, if it needs one of its own. */
function insideTitle({ tab, inside }: ProjectPlace, releases: readonly Release[] | undefined): string | undefined {
  if (tab !== "releases" || !inside) return undefined;
  const number = releases?.find(({ id }) => id === inside)?.number;
  return number ? `Release #${number}` : "Release";
}

const projects = { href: "/", title: "Projects" };

type Open =
  | { readonly what: "make live" | "roll back" | "edit notes" | "delete"; readonly release: Release }
  | { readonly what: "take offline" | "share" };

interface LoadedProps {
  readonly project: Project;
  readonly place: ProjectPlace;
  readonly list: LoadedList<ListedRelease>;
  /** Why it could not be read anew. */
  readonly problem: string | undefined;
  /** Whether the games' edge has the last change. */
  readonly edge: Edge;
  readonly open: Open | undefined;
  readonly setOpen: Dispatch<StateUpdater<Open | undefined>>;
  readonly onEdge: (edge: Edge) => void;
  readonly onChanged: () => Promise<void>;
}

function Loaded({ project, place, list, problem, edge, open, setOpen, onEdge, onChanged }: LoadedProps) {
  const { slug, name, current_release: current } = project;
  // A dialog is about the project as it was: it does not come back with a project that was deleted and is restored.
  useEffect(() => () => setOpen(undefined), []);
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
  const dropArea = usePublishArea(isSuspended || !isPublisher(project) ? undefined : project, place.tab, (edge) => {
    if (edge !== undefined) onEdge(edge);
    void refresh();
  });
  const actions = {
    onRollBack: (release: Release) => setOpen({ what: "roll back", release }),
    onMakeLive: (release: Release) => setOpen({ what: "make live", release }),
    onEditNotes: (release: Release) => setOpen({ what: "edit notes", release }),
    onDelete: (release: Release) => setOpen({ what: "delete", release }),
    onScheduled: refresh,
    onPreview: async (edge: Edge) => {
      onEdge(edge);
      await list.reload();
    },
  };
  return (
    <>
      <div class="page">
        {problem && <Notice kind="problem">{`What this page shows may be of before: ${problem}`}</Notice>}
        <Suspended project={project} />
        {!isSuspended && <TrafficLimited until={project.traffic_limited_until} />}
        <EdgeNotice edge={edge} />
        <ProjectChanges slug={slug} releases={list.items} onChanged={refresh} />
        {place.tab === "overview" &&
          !place.inside &&
          // All at once, so that nothing moves when the releases are there.
          (list.items || list.problem ? (
            <Overview project={project} list={list} {...actions} dropArea={dropArea} />
          ) : (
            <ListSkeleton />
          ))}
        {place.tab === "overview" && place.inside && <History slug={slug} releases={list.items} />}
        {place.tab === "releases" && place.inside && (
          <ReleasePage key={place.inside} project={project} id={place.inside} list={list} {...actions} />
        )}
        {place.tab === "releases" && !place.inside && (
          <ReleasesTab project={project} list={list} {...actions} dropArea={dropArea} />
        )}
        {optionOfTab(place.tab) && (
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
      {open?.what === "edit notes" && (
        <Dialog title="Edit what is new" onClose={close}>
          <EditNotes slug={slug} target={open.release} onDone={() => changed(edge)} onCancel={close} />
        </Dialog>
      )}
      {open?.what === "delete" && (
        <Dialog title="Delete this release?" onClose={close}>
          <DeleteRelease slug={slug} target={open.release} onDone={changed} onOutdated={refresh} onCancel={close} />
        </Dialog>
      )}
      {(open?.what === "make live" || open?.what === "roll back") && (
        <Dialog
          title={open.what === "make live" ? "Make this release live?" : `Roll back to #${open.release.number}?`}
          onClose={close}
        >
          <MakeLive
            slug={slug}
            current={current?.id ?? null}
            live={list.items?.find(({ id }) => id === current?.id)}
            target={open.release}
            isRollBack={open.what === "roll back"}
            scheduled={project.schedule?.release}
            onDone={changed}
            onOutdated={refresh}
            onCancel={close}
          />
        </Dialog>
      )}
    </>
  );
}

const Overview = lazyView(({ Overview }) => Overview, <ListSkeleton />);
const ReleasePage = lazyView(({ ReleasePage }) => ReleasePage, <ListSkeleton />);
const ReleasesTab = lazyView(({ ReleasesTab }) => ReleasesTab, <ListSkeleton />);
const ProjectChanges = lazyView(({ ProjectChanges }) => ProjectChanges, null);
const DeletedProject = lazyView(({ DeletedProject }) => DeletedProject);
const ShareLive = lazyView(({ ShareLive }) => ShareLive);
const TakeOffline = lazyView(({ TakeOffline }) => TakeOffline);
const MakeLive = lazyView(({ MakeLive }) => MakeLive);
const EditNotes = lazyView(({ EditNotes }) => EditNotes);
const DeleteRelease = lazyView(({ DeleteRelease }) => DeleteRelease);
const History = lazyView(({ History }) => History);
const OptionTab = lazyView(({ OptionTab }) => OptionTab);
const SettingsTab = lazyView(({ SettingsTab }) => SettingsTab);

/** Says that the operator has suspended a project, and why. */
function Suspended({ project: { suspension, deletion, report_url: operator } }: { project: Project }) {
  if (suspension === null) return null;
  return (
    <Notice kind="problem">
      <p>
        The operator {deletion ? "closed" : "suspended"} this project <Time at={suspension.at} />:{" "}
        {suspension.reason.replaceAll("_", " ")}. Nobody can play it and you cannot {deletion ? "restore" : "change"}{" "}
        it. {operator === null ? "Ask the operator." : <a href={operator}>Ask the operator</a>}
      </p>
    </Notice>
  );
}
