import { useEffect, useState } from "preact/hooks";
import { useDashboard } from "../dashboard.ts";
import { bytesInWords, counted } from "../format.ts";
import { messageOf } from "../messages.ts";
import { Button, FormActions } from "../parts/button.tsx";
import { Commands, Copy } from "../parts/copy.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { TextArea } from "../parts/field.tsx";
import { useSubmission } from "../parts/form.ts";
import { later } from "../parts/later.tsx";
import { List, useList } from "../parts/list.tsx";
import { memo } from "../parts/memo.ts";
import { NameField } from "../parts/name-field.tsx";
import { Notice } from "../parts/notice.tsx";
import { Page } from "../parts/page.tsx";
import { Time } from "../parts/time.tsx";
import { HandOverOrDelete } from "./project-owner.tsx";
import type { Project } from "./projects.tsx";
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
  const url = project.play_url;
  const changed = async () => {
    setOpen(undefined);
    await Promise.all([onChanged(), list.reload()]);
  };
  return (
    <Page
      title={name}
      lead={description ?? undefined}
      action={<Button onClick={() => setOpen({ what: "edit" })}>Edit</Button>}
    >
      {project.suspension && (
        <Notice kind="problem">
          <p>
            The operator suspended this project <Time at={project.suspension.at} />:{" "}
            {project.suspension.reason.replaceAll("_", " ")}. Nobody can play it and you cannot change it. Ask the
            operator.
          </p>
        </Notice>
      )}
      {current && (
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
              <span>
                published <Time at={current.published_at} />
              </span>
              {live && (
                <span>
                  {counted(live.files, "file")}, {bytesInWords(live.bytes)}
                </span>
              )}
            </p>
          </div>
          <div class="row-side">
            <Button kind="quiet" onClick={() => setOpen({ what: "unpublish" })}>
              Unpublish
            </Button>
            {url && (
              <a class="button primary" href={url} target="_blank" rel="noreferrer">
                Play
              </a>
            )}
          </div>
        </section>
      )}
      <h2 class="section">Releases</h2>
      <List
        list={list}
        label="Releases"
        keyOf={({ id }) => id}
        empty={<NothingPublished slug={slug} />}
        row={(release) => <ReleaseRow release={release} isOffline={current === null} onRollBack={setOpen} />}
      />
      <HandOverOrDelete project={project} onChanged={changed} />
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

const states = { live: ["Live", "on"], open: ["Not published", "soon"], published: ["Earlier", "off"] } as const;

interface ReleaseRowProps {
  readonly release: Release;
  /** No release is live, so nothing is rolled back. */
  readonly isOffline: boolean;
  readonly onRollBack: (open: Open) => void;
}

const ReleaseRow = memo(({ release, isOffline, onRollBack }: ReleaseRowProps) => {
  const { id, status, files, bytes, created_at: created, published_at: published, expires_at: expires } = release;
  const { message, source, published_by: publisher } = release;
  const [label, look] = states[status];
  return (
    <>
      <div class="row-main">
        <h3>
          {published ? (
            <>
              Published <Time at={published} />
            </>
          ) : (
            <>
              Opened <Time at={created} />
            </>
          )}
        </h3>
        {message && <p class="clipped">{message}</p>}
        <p class="meta">
          <span>
            {counted(files, "file")}, {bytesInWords(bytes)}
          </span>
          <code title={id}>{id.slice(0, 9)}…</code>
          {source && <Commit source={source} />}
          {publisher && <PublishedBy publisher={publisher} />}
          {expires && (
            <span>
              given up <Time at={expires} />
            </span>
          )}
        </p>
      </div>
      <div class="row-side">
        <span class={`badge ${look}`}>{label}</span>
        {status === "published" && (
          <Button
            kind="quiet"
            aria-label={isOffline ? `Make the release ${id} live` : `Roll back to the release ${id}`}
            onClick={() => onRollBack({ what: "roll back", release })}
          >
            {isOffline ? "Make live" : "Roll back"}
          </Button>
        )}
      </div>
    </>
  );
});

/** The commit that a release was built from; a link to the CI job where it names one. */
function Commit({ source: { commit, run_url: runUrl } }: { source: NonNullable<Release["source"]> }) {
  const text = <code title={commit}>commit {commit.slice(0, 7)}</code>;
  return runUrl?.startsWith("https://") ? (
    <a href={runUrl} target="_blank" rel="noreferrer">
      {text}
    </a>
  ) : (
    text
  );
}

function PublishedBy({ publisher: { uid, token } }: { publisher: NonNullable<Release["published_by"]> }) {
  const { user } = useDashboard().account;
  const who = uid === user.uid ? "by you" : `by ${uid}`;
  return <span>{token ? `${who}, with the token “${token.name}”` : `${who}, on the dashboard`}</span>;
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
  const save = (event: Event) => {
    event.preventDefault();
    return submission.run(async () => {
      const params = { slug: project.slug };
      const body = { name, description: description === "" ? null : description };
      await api.call("updateProject", { method: "PATCH", path: "/projects/:slug", params, body });
      await onSaved();
    });
  };
  return (
    <form onSubmit={save}>
      {submission.problem && <Notice kind="problem">{submission.problem}</Notice>}
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
