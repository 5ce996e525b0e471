import { useCallback, useEffect, useState } from "preact/hooks";
import { useDashboard } from "../dashboard.ts";
import { bytesInWords, counted } from "../format.ts";
import { messageOf } from "../messages.ts";
import { Button, FormActions } from "../parts/button.tsx";
import { Commands, Copy } from "../parts/copy.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { TextArea } from "../parts/field.tsx";
import { useSubmission } from "../parts/form.ts";
import { later } from "../parts/later.tsx";
import { idOf, List, useList } from "../parts/list.tsx";
import { NameField } from "../parts/name-field.tsx";
import { Notice, Problem } from "../parts/notice.tsx";
import { Page } from "../parts/page.tsx";
import { Time } from "../parts/time.tsx";
import { HandOverOrDelete } from "./project-owner.tsx";
import type { Project } from "./projects.tsx";
import { ReleaseRow } from "./release-row.tsx";
import { type Release, RollBack } from "./roll-back.tsx";

/** One project: where it is played, its releases, and its name and description. */
export function ProjectPage({ slug }: { slug: string }) {
  const { api } = useDashboard();
  const [project, setProject] = useState<Project>();
  const [problem, setProblem] = useState<string>();
  const load = async () => {
    // The list is the owner's view, with the offer and the suspension; an account's 50 projects at most fit one page.
    const { projects } = await api.call("listProjects", { method: "GET", path: "/projects" });
    const found = projects.find((one) => one.slug === slug);
    if (found === undefined) setProblem("You have no project with this name. Choose one on the Projects page.");
    else setProject(found);
  };
  useEffect(() => {
    load().catch((error) => setProblem(messageOf(error)));
  }, [slug]);
  if (problem)
    return (
      <Page title={slug}>
        <Notice kind="problem">{problem}</Notice>
        <a href="/">All projects</a>
      </Page>
    );
  if (project === undefined) return <Page title={slug} />;
  return <Loaded key={project.current_release?.id} project={project} onChanged={load} />;
}

type Open =
  | { readonly what: "edit" }
  | { readonly what: "roll back"; readonly release: Release }
  | { readonly what: "unpublish" };

function Loaded({ project, onChanged }: { project: Project; onChanged: () => Promise<void> }) {
  const { api } = useDashboard();
  const { slug, name, description, current_release: current } = project;
  const [open, setOpen] = useState<Open>();
  const list = useList(`releases of ${slug}`, async (cursor) => {
    const path = "/projects/:slug/releases";
    const page = await api.call("listReleases", { method: "GET", path, params: { slug }, query: { cursor } });
    return { items: page.releases, nextCursor: page.next_cursor };
  });
  const live = list.items?.find(({ id }) => id === current?.id);
  const isSuspended = project.suspension !== null;
  const releaseAction = isSuspended ? undefined : current ? "Roll back" : "Make live";
  const row = useCallback(
    (release: Release) => (
      <ReleaseRow release={release} action={releaseAction} onAction={() => setOpen({ what: "roll back", release })} />
    ),
    [releaseAction],
  );
  const changed = async () => {
    setOpen(undefined);
    await Promise.all([onChanged(), list.reload()]);
  };
  return (
    <Page
      title={name}
      lead={description ?? undefined}
      action={!isSuspended && <Button onClick={() => setOpen({ what: "edit" })}>Edit</Button>}
    >
      <Suspended project={project} />
      {current && !isSuspended && (
        <LiveCard project={project} live={live} onUnpublish={() => setOpen({ what: "unpublish" })} />
      )}
      <h2 class="section">Releases</h2>
      <List list={list} label="Releases" keyOf={idOf} empty={<NothingPublished slug={slug} />} row={row} />
      {list.items && <HandOverOrDelete project={project} onChanged={changed} />}
      {open?.what === "edit" && (
        <Dialog title="Edit project" onClose={() => setOpen(undefined)}>
          <EditForm project={project} onSaved={changed} onCancel={() => setOpen(undefined)} />
        </Dialog>
      )}
      {open?.what === "unpublish" && (
        <Dialog title={`Unpublish ${name}?`} onClose={() => setOpen(undefined)}>
          <UnpublishProject project={project} onDone={changed} onCancel={() => setOpen(undefined)} />
        </Dialog>
      )}
      {open?.what === "roll back" && (
        <Dialog title="Make this release live?" onClose={() => setOpen(undefined)}>
          <RollBack
            slug={slug}
            current={current?.id ?? null}
            live={live}
            target={open.release}
            onDone={changed}
            onCancel={() => setOpen(undefined)}
          />
        </Dialog>
      )}
    </Page>
  );
}

const UnpublishProject = later(async () => (await import("./ends.ts")).UnpublishProject);

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

interface LiveCardProps {
  readonly project: Project;
  readonly live: Release | undefined;
  readonly onUnpublish: () => void;
}

/** Which release players get now, and where. */
function LiveCard({ project: { current_release: current, play_url: url }, live, onUnpublish }: LiveCardProps) {
  return (
    <section class="card live" aria-label="Live release">
      <div>
        <span class="badge on">Live</span>
        {url && (
          <p class="live-url">
            <a href={url} target="_blank" rel="noreferrer">
              {url.replace(/^https?:\/\//, "").replace(/\/$/, "")}
            </a>
          </p>
        )}
        <p class="meta">
          {current && (
            <span>
              published <Time at={current.published_at} />
            </span>
          )}
          {live && (
            <span>
              {counted(live.files, "file")}, {bytesInWords(live.bytes)}
            </span>
          )}
        </p>
      </div>
      <div class="row-side">
        <Button kind="quiet" onClick={onUnpublish}>
          Unpublish
        </Button>
        {url && (
          <a class="button primary" href={url} target="_blank" rel="noreferrer">
            Play
          </a>
        )}
      </div>
    </section>
  );
}

function NothingPublished({ slug }: { slug: string }) {
  return (
    <div class="empty">
      <h2>Nothing published yet</h2>
      <p>In the folder that holds your game’s index.html:</p>
      <Commands
        steps={[
          { title: "Sign in from the terminal, once for each machine", command: "svc login" },
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
  const submission = useSubmission();
  const save = submission.onSubmit(async () => {
    const params = { slug: project.slug };
    const body = { name, description: description === "" ? null : description };
    await api.call("updateProject", { method: "PATCH", path: "/projects/:slug", params, body });
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
      <div class="field">
        <p class="label">Slug</p>
        <Copy text={project.slug} label="the slug" />
      </div>
      <FormActions submit="Save" busy={submission.busy} onCancel={onCancel} />
    </form>
  );
}
