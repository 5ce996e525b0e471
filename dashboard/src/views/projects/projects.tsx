import { useState } from "preact/hooks";
import { limits } from "../../../../contract/api/limits.ts";
import { serverNow } from "../../../../contract/api/time/server-time.ts";
import { useDashboard } from "../../dashboard.ts";
import { counted } from "../../format.ts";
import { GamePicture } from "../../parts/avatar.tsx";
import { Button, FormActions } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { EdgeNotice } from "../../parts/edge-notice.tsx";
import { TextArea } from "../../parts/field.tsx";
import { useSubmission } from "../../parts/form.ts";
import { List, type LoadedList, useList } from "../../parts/list.tsx";
import { Problem } from "../../parts/notice.tsx";
import { Page } from "../../parts/page.tsx";
import { When } from "../../parts/time.tsx";
import { useReleasesChanged } from "../../publish/publishing.ts";
import type { Edge, Project } from "../../resources.ts";
import { navigate } from "../../router.ts";
import { FromTerminal, freeSlug } from "../first-steps.tsx";
import { Invitations, useInvitations } from "../members/invitations.tsx";
import { PendingPublishers, usePendingPublishers } from "../publishers/pending-publishers.tsx";
import { DropArea } from "../publishing/drop-area.tsx";
import { NewProjectFields, useNewProject } from "./new-project.tsx";

export function Projects() {
  const { api, account } = useDashboard();
  const { role } = account.user;
  const [isCreating, setCreating] = useState(false);
  const [edge, setEdge] = useState<Edge>(null);
  const list = useList(`projects of a ${role}`, async (cursor) => {
    if (role !== "dev") return { items: [], nextCursor: null };
    const page = await api.call("GET /projects", { query: { cursor } });
    const items = page.projects.map((project) => ({ ...project, plays: page.plays[project.slug] ?? 0 }));
    return { items, nextCursor: page.next_cursor };
  });
  const isListed = list.items !== undefined;
  const invitations = useInvitations(isListed);
  const deleted = useDeletedProjects(isListed && role === "dev");
  const pending = usePendingPublishers(isListed && role === "dev");
  // They are shown together, so that none pushes another one down.
  const more = role === "dev" ? [invitations, deleted, pending] : [invitations];
  const isSettled = more.every(({ items, problem }) => items ?? problem);
  const restored = async (edge: Edge) => {
    setEdge(edge);
    await list.reload();
  };
  // A publication in the background changes which release is live.
  useReleasesChanged(undefined, () => void list.reload());
  return (
    <Page
      title="Projects"
      lead="A project is a game: where it is played, and every release of it."
      action={
        <Button kind="primary" onClick={() => setCreating(true)}>
          New project
        </Button>
      }
    >
      <EdgeNotice edge={edge} />
      <List
        list={list}
        label="Projects"
        keyOf={({ slug }) => slug}
        empty={<NoProjects />}
        row={(project) => (
          <>
            <div class="pictured">
              <GamePicture project={project} size="large" />
              <div class="row-main">
                <h2>
                  <a href={`/projects/${project.slug}`} dir="auto">
                    {project.name}
                  </a>
                </h2>
                {project.description && (
                  <p class="clipped" dir="auto">
                    {project.description}
                  </p>
                )}
                <p class="meta">
                  <code>{project.slug}</code>
                  {project.role !== "owner" && (
                    <span>you are {project.role === "admin" ? "an admin" : "a publisher"}</span>
                  )}
                  {project.current_release ? (
                    <When it="live since" at={project.current_release.published_at} />
                  ) : (
                    <span>no release is live</span>
                  )}
                  {project.plays > 0 && (
                    <span>
                      {counted(project.plays, "play")} in {limits.recentPlaysDays} days
                    </span>
                  )}
                </p>
              </div>
            </div>
            <div class="row-side">
              {project.current_release && project.play_url && !project.suspension ? (
                <a class="button quiet" href={project.play_url} target="_blank" rel="noreferrer">
                  Play<span class="visually-hidden"> {project.name}</span>
                </a>
              ) : (
                <span class="badge off">{project.suspension ? "Suspended" : "Not live"}</span>
              )}
            </div>
          </>
        )}
      />
      {isSettled && (
        <>
          <Invitations list={invitations} />
          <DeletedProjects list={deleted} onRestored={restored} />
          {role === "dev" && <PendingPublishers list={pending} />}
        </>
      )}
      {isCreating && (
        <Dialog title="New project" onClose={() => setCreating(false)}>
          <ProjectForm onCreated={({ slug }) => navigate(`/projects/${slug}`)} onCancel={() => setCreating(false)} />
        </Dialog>
      )}
    </Page>
  );
}

function useDeletedProjects(isWanted: boolean): LoadedList<Project> {
  const { api } = useDashboard();
  const load = async (cursor: string | undefined) => {
    const page = await api.call("GET /projects", { query: { cursor, state: "deleted" } });
    return { items: page.projects, nextCursor: page.next_cursor };
  };
  return useList("deleted projects", load, isWanted);
}

interface DeletedProjectsProps extends Pick<DeletedProjectProps, "onRestored"> {
  readonly list: LoadedList<Project>;
}

/** Projects that can still be restored; nothing if none was deleted lately. */
function DeletedProjects({ list, onRestored }: DeletedProjectsProps) {
  if (list.items === undefined || list.items.length === 0) return null;
  const restored = async (edge: Edge) => {
    await Promise.all([onRestored(edge), list.reload()]);
  };
  return (
    <>
      <h2 class="section">Deleted</h2>
      <List
        list={list}
        label="Deleted projects"
        keyOf={({ slug }) => slug}
        empty={null}
        row={(project) => <DeletedProject project={project} onRestored={restored} />}
      />
    </>
  );
}

interface DeletedProjectProps {
  readonly project: Project;
  /** @param edge whether players see it by now */
  readonly onRestored: (edge: Edge) => Promise<void>;
}

export function DeletedProject({ project, onRestored }: DeletedProjectProps) {
  const { api } = useDashboard();
  const submission = useSubmission();
  const { slug, name, deletion } = project;
  const isRestorable = deletion !== null && Date.parse(deletion.restorable_until) > serverNow();
  const restore = () =>
    submission.run(async () => {
      const { edge } = await api.call("POST /projects/:slug/restore", { params: { slug } });
      await onRestored(edge);
    });
  return (
    <>
      <div class="row-main">
        <h2 dir="auto">{name}</h2>
        <p class="meta">
          <code>{slug}</code>
          {deletion && <When it="deleted" at={deletion.at} />}
          {isRestorable ? <When it="gone for good" at={deletion.restorable_until} /> : <span>gone for good</span>}
        </p>
        <Problem of={submission} />
      </div>
      {isRestorable && (
        <div class="row-side">
          <Button
            kind="quiet"
            aria-label={`Restore ${name}`}
            busy={submission.busy}
            doing="Restoring…"
            onClick={restore}
          >
            Restore
          </Button>
        </div>
      )}
    </>
  );
}

interface ProjectFormProps {
  readonly onCreated: (project: Project) => void;
  readonly onCancel: () => void;
}

/** Form for a project whose first release comes later, from a terminal or CI. */
function ProjectForm({ onCreated, onCancel }: ProjectFormProps) {
  const { api } = useDashboard();
  const project = useNewProject("");
  const [description, setDescription] = useState("");
  const submission = useSubmission();
  const create = submission.onSubmit(async () => {
    const { slug, name } = project;
    const body = { slug, name, ...(description !== "" && { description }) };
    onCreated(await api.call("POST /projects", { creates: true, body }));
  });
  return (
    <form onSubmit={create}>
      <Problem of={submission} />
      <NewProjectFields of={project} submission={submission} />
      <TextArea
        label="Description (optional)"
        value={description}
        onValue={setDescription}
        error={submission.fieldError("/description")}
      />
      <FormActions submit="Create project" doing="Creating the project…" busy={submission.busy} onCancel={onCancel} />
    </form>
  );
}

function NoProjects() {
  const { publishing, publish } = useDashboard();
  const [slug] = useState(freeSlug);
  return (
    <>
      <DropArea
        title="Publish your first game"
        size="large"
        isOpen={publishing.length === 0}
        onPicked={(picked) => publish(undefined, picked)}
      />
      <FromTerminal
        steps={[
          { title: "Take a name for the game; change it as you like", command: `svc projects create ${slug}` },
          { title: "Publish the folder", command: `svc publish . --project ${slug}` },
        ]}
      />
    </>
  );
}
