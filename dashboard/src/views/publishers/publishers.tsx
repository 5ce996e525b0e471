import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useDashboard } from "../../dashboard.ts";
import { Button, RowButton } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Facts } from "../../parts/facts.tsx";
import { useSubmission } from "../../parts/form.ts";
import { later } from "../../parts/later.tsx";
import { idOf, List, useList } from "../../parts/list.tsx";
import { Problem } from "../../parts/notice.tsx";
import type { Project, Publisher } from "../../resources.ts";

const AddPublisher = later(async () => (await import("../seldom-shown.ts")).AddPublisher);

interface PublishersProps {
  readonly project: Project;
  /** Whether what is above is there; before that it would push this down. */
  readonly isShown: boolean;
  /** What comes below, shown with this for the same reason. */
  readonly children: ComponentChildren;
}

/** The CI jobs that may publish a project with their identity. */
export function Publishers({ project, isShown, children }: PublishersProps) {
  const { api } = useDashboard();
  const { slug, suspension } = project;
  const [open, setOpen] = useState<"add" | Publisher>();
  const list = useList(`publishers of ${slug}`, async () => {
    const path = "/projects/:slug/publishers";
    const { publishers } = await api.call("listPublishers", { method: "GET", path, params: { slug } });
    return { items: publishers, nextCursor: null };
  });
  const isSettled = list.items !== undefined || list.problem !== undefined;
  if (!(isShown && isSettled)) return null;
  const close = () => setOpen(undefined);
  const changed = async () => {
    await list.reload();
    close();
  };
  return (
    <>
      <div class="section titled">
        <h2>CI jobs that may publish</h2>
        {!suspension && <Button onClick={() => setOpen("add")}>Add CI jobs</Button>}
      </div>
      <List
        list={list}
        label="CI jobs that may publish"
        keyOf={idOf}
        empty={
          <p class="empty hint">
            CI jobs that you name here publish this project without a token: GitHub or GitLab vouches for them.
          </p>
        }
        row={(publisher) => (
          <PublisherRow publisher={publisher} onRemove={suspension ? undefined : () => setOpen(publisher)} />
        )}
      />
      {children}
      {open === "add" && (
        <Dialog title="Let CI jobs publish" onClose={close}>
          <AddPublisher slug={slug} onAdded={changed} onCancel={close} />
        </Dialog>
      )}
      {open && open !== "add" && (
        <Dialog title={`Stop CI jobs of ${titleOf(open)} from publishing?`} onClose={close}>
          <RemovePublisher slug={slug} publisher={open} onRemoved={changed} onCancel={close} />
        </Dialog>
      )}
    </>
  );
}

/** What people call it; if nobody said so, its number. */
function titleOf(publisher: Publisher): string {
  const number = publisher.provider === "github" ? publisher.repository_id : publisher.project_id;
  return publisher.repository ?? `repository ${number}`;
}

interface RowProps {
  readonly publisher: Publisher;
  readonly onRemove: (() => void) | undefined;
}

function PublisherRow({ publisher, onRemove }: RowProps) {
  const { provider, environment, ref_protected: isProtected } = publisher;
  const [name, file, numbers] =
    provider === "github"
      ? ["GitHub", publisher.workflow, `repository ${publisher.repository_id}, owner ${publisher.repository_owner_id}`]
      : ["GitLab", publisher.ci_config_path, `project ${publisher.project_id}, group ${publisher.namespace_id}`];
  return (
    <>
      <div class="row-main">
        <h3>{titleOf(publisher)}</h3>
        <p class="meta">
          <span>
            {name}, <code>{file}</code>
          </span>
          <span>{environment === null ? "any environment or none" : `environment ${environment}`}</span>
          <span>{isProtected ? "protected branches and tags" : "any branch or tag"}</span>
          {publisher.provider === "github" && <span>on {publisher.events.join(", ")}</span>}
          <span>{numbers}</span>
        </p>
      </div>
      {onRemove && (
        <div class="row-side">
          <RowButton label="Remove" of={titleOf(publisher)} risky onClick={onRemove} />
        </div>
      )}
    </>
  );
}

interface RemoveProps {
  readonly slug: string;
  readonly publisher: Publisher;
  readonly onRemoved: () => Promise<void>;
  readonly onCancel: () => void;
}

function RemovePublisher({ slug, publisher: { id }, onRemoved, onCancel }: RemoveProps) {
  const { api } = useDashboard();
  const submission = useSubmission();
  const remove = () =>
    submission.run(async () => {
      const path = "/projects/:slug/publishers/:id";
      await api.call("deletePublisher", { method: "DELETE", path, params: { slug, id } });
      await onRemoved();
    });
  return (
    <>
      <Facts
        of={[
          ["Its jobs", "cannot publish any more. One that is publishing now is refused from its next request on."],
          ["Releases", "that they published stay as they are."],
        ]}
      />
      <Problem of={submission} />
      <div class="actions">
        <Button onClick={onCancel}>Keep it</Button>
        <Button kind="danger" busy={submission.busy} doing="Removing…" onClick={remove}>
          Remove
        </Button>
      </div>
    </>
  );
}
