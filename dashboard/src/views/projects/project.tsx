import { useCallback, useEffect, useState } from "preact/hooks";
import { useDashboard } from "../../dashboard.ts";
import { messageOf } from "../../messages.ts";
import { Button, FormActions } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { EdgeNotice } from "../../parts/edge-notice.tsx";
import { useEdit } from "../../parts/edit.ts";
import { Choice, TextArea } from "../../parts/field.tsx";
import { useSubmission } from "../../parts/form.ts";
import { lazy } from "../../parts/lazy.tsx";
import { idOf, List, ListSkeleton, useList } from "../../parts/list.tsx";
import { NameField } from "../../parts/name-field.tsx";
import { Notice, Problem } from "../../parts/notice.tsx";
import { Page } from "../../parts/page.tsx";
import { Time } from "../../parts/time.tsx";
import { TrafficLimited } from "../../parts/traffic-limited.tsx";
import { allProjects } from "../../projects.ts";
import type { Edge, ListedRelease, Project, Release } from "../../resources.ts";
import { FromTerminal } from "../first-steps.tsx";
import { Members, useMembers } from "../members/members.tsx";
import { isAdmin } from "../members/roles.ts";
import { Publishers, usePublishers } from "../publishers/publishers.tsx";
import { PublishArea } from "../publishing/publish-area.tsx";
import { MakeLive } from "../releases/make-live.tsx";
import { releasesPage } from "../releases/previews.tsx";
import { ReleaseRow } from "../releases/release-row.tsx";
import { FactsLine } from "./facts-line.tsx";
import { HandOverOrDelete } from "./hand-over-or-delete.tsx";
import { LiveCard } from "./live-card.tsx";
import { DeletedProject } from "./projects.tsx";

/** One project: where it is played, its releases, and its name and description. */
export function ProjectPage({ slug }: { slug: string }) {
  const { api } = useDashboard();
  const [found, setFound] = useState<Project | "none">();
  const [problem, setProblem] = useState<string>();
  const [edge, setEdge] = useState<Edge>(null);
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
  if (found === undefined && problem === undefined)
    return (
      <Page title={slug} above={projects}>
        <ListSkeleton />
      </Page>
    );
  if (found === undefined || found === "none")
    return (
      <Page title={slug} above={projects}>
        <Notice kind="problem">
          {problem ?? "You have no project at this address. It may be deleted, or you are not a member of it any more."}
        </Notice>
      </Page>
    );
  if (found.deletion)
    return (
      <Page title={found.name} above={projects} lead="You have deleted this project.">
        <div class="rows">
          <div class="row">
            <DeletedProject project={found} onRestored={restored} />
          </div>
        </div>
      </Page>
    );
  return <Loaded project={found} problem={problem} edge={edge} onEdge={setEdge} onChanged={reload} />;
}

const projects = { href: "/", title: "Projects" };

type Open =
  | { readonly what: "edit" }
  | { readonly what: "make live" | "delete"; readonly release: Release }
  | { readonly what: "take offline" | "share" };

interface LoadedProps {
  readonly project: Project;
  /** Why it could not be read anew. */
  readonly problem: string | undefined;
  /** Whether the games' edge has the last change. */
  readonly edge: Edge;
  readonly onEdge: (edge: Edge) => void;
  readonly onChanged: () => Promise<void>;
}

function Loaded({ project, problem, edge, onEdge, onChanged }: LoadedProps) {
  const { api } = useDashboard();
  const { slug, name, description, current_release: current } = project;
  const [open, setOpen] = useState<Open>();
  const list = useList(`releases of ${slug}`, (cursor) => releasesPage(api, slug, cursor));
  const members = useMembers(slug);
  const publishers = usePublishers(slug);
  const live = list.items?.find(({ id }) => id === current?.id);
  const isSuspended = project.suspension !== null;
  const hasPreviews = !isSuspended && project.play_url !== null;
  const row = useCallback(
    (release: ListedRelease) => (
      <ReleaseRow
        slug={slug}
        release={release}
        canChange={!isSuspended}
        canDelete={isAdmin(project)}
        hasPreviews={hasPreviews}
        onMakeLive={() => setOpen({ what: "make live", release })}
        onDelete={() => setOpen({ what: "delete", release })}
        onPreview={async (edge) => {
          onEdge(edge);
          await list.reload();
        }}
      />
    ),
    [slug, isSuspended, hasPreviews, project.role],
  );
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
  return (
    <Page
      title={name}
      above={projects}
      lead={description ?? undefined}
      action={!isSuspended && isAdmin(project) && <Button onClick={() => setOpen({ what: "edit" })}>Edit</Button>}
    >
      {problem && <Notice kind="problem">{`What this page shows may be of before: ${problem}`}</Notice>}
      <Suspended project={project} />
      {!isSuspended && <TrafficLimited until={project.traffic_limited_until} />}
      <EdgeNotice edge={edge} />
      <FactsLine project={project} />
      {current && !isSuspended && (
        <LiveCard
          project={project}
          live={live}
          onShare={() => setOpen({ what: "share" })}
          onTakeOffline={() => setOpen({ what: "take offline" })}
        />
      )}
      {!isSuspended && (
        <PublishArea
          project={project}
          onChanged={async (edge) => {
            if (edge !== undefined) onEdge(edge);
            await refresh();
          }}
        />
      )}
      <h2 class="section">Releases</h2>
      <List list={list} label="Releases" keyOf={idOf} empty={<NothingPublished slug={slug} />} row={row} />
      <Publishers
        project={project}
        list={publishers}
        isShown={list.items !== undefined && (members.items ?? members.problem) !== undefined}
        above={<Members project={project} list={members} publishers={publishers} />}
      >
        <HistoryFold slug={slug} />
        {project.role === "owner" && !isSuspended && <HandOverOrDelete project={project} onChanged={members.reload} />}
      </Publishers>
      {open?.what === "edit" && (
        <Dialog title="Edit project" onClose={close}>
          <EditForm project={project} onSaved={() => changed(edge)} onCancel={close} />
        </Dialog>
      )}
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
            live={live}
            target={open.release}
            onDone={changed}
            onOutdated={refresh}
            onCancel={close}
          />
        </Dialog>
      )}
    </Page>
  );
}

const ShareLive = lazy(async () => (await import("../lazy-views.ts")).ShareLive);
const TakeOffline = lazy(async () => (await import("../lazy-views.ts")).TakeOffline);
const DeleteRelease = lazy(async () => (await import("../lazy-views.ts")).DeleteRelease);
const History = lazy(async () => (await import("../lazy-views.ts")).History);

/** Read when it is opened. */
function HistoryFold({ slug }: { slug: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="fold" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>What happened</summary>
      {isOpen && <History slug={slug} />}
    </details>
  );
}

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

function NothingPublished({ slug }: { slug: string }) {
  return (
    <div class="empty">
      <h3>Nothing published yet</h3>
      <p>Drop your game above.</p>
      <FromTerminal
        steps={[
          { title: "See what would be published", command: `svc publish . --project ${slug} --dry-run` },
          { title: "Publish", command: `svc publish . --project ${slug}` },
        ]}
      />
    </div>
  );
}

interface EditFormProps {
  readonly project: Project;
  readonly onSaved: () => Promise<void>;
  readonly onCancel: () => void;
}

function EditForm({ project, onSaved, onCancel }: EditFormProps) {
  const { api } = useDashboard();
  const [name, setName] = useState(project.name);
  const [description, setDescription] = useState(project.description ?? "");
  const [showProvenance, setShowProvenance] = useState(project.show_provenance);
  const [refuseTokens, setRefuseTokens] = useState(project.refuse_tokens);
  const submission = useSubmission();
  const params = { slug: project.slug };
  const saveEdit = useEdit(project, {
    fieldsOf: ({ name, description, show_provenance, refuse_tokens }) => ({
      ...{ name, description, show_provenance, refuse_tokens },
    }),
    read: () => api.read("GET /projects/:slug", { params }),
    write: (body, ifMatch) => api.call("PATCH /projects/:slug", { params, body, ifMatch }),
  });
  const save = submission.onSubmit(async () => {
    await saveEdit({
      ...{ name, description: description === "" ? null : description },
      ...{ show_provenance: showProvenance, refuse_tokens: refuseTokens },
    });
    await onSaved();
  });
  return (
    <form onSubmit={save}>
      <Problem of={submission} />
      <NameField value={name} onValue={setName} submission={submission} />
      <TextArea
        label="Description"
        value={description}
        onValue={setDescription}
        error={submission.fieldError("/description")}
      />
      <Choice
        type="checkbox"
        name="show_provenance"
        label="Show everybody where the live release comes from"
        hint="The repository’s name, the commit and the CI run, if a CI job has published it; also of a private repository."
        checked={showProvenance}
        onChecked={setShowProvenance}
      />
      <Choice
        type="checkbox"
        name="refuse_tokens"
        label="Take no tokens"
        hint="Only CI jobs that may publish, and you and the members in this dashboard, change the game. A token that leaks can then change nothing in it; svc on your machine neither."
        checked={refuseTokens}
        onChecked={setRefuseTokens}
      />
      <FormActions submit="Save" doing="Saving…" busy={submission.busy} onCancel={onCancel} />
    </form>
  );
}
