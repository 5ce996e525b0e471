import { useState } from "preact/hooks";
import { useDashboard } from "../../dashboard.ts";
import { Button, RowButton } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { idOf, List, type LoadedList, useList } from "../../parts/list.tsx";
import type { Project, Publisher } from "../../resources.ts";
import { isAdmin } from "../members/roles.ts";
import { AddPublisher } from "./add-publisher.tsx";
import { adderOf, PublisherFacts, titleOf } from "./publisher-facts.tsx";
import { RemovalDialog } from "./removal-dialog.tsx";

/** The CI jobs that may publish a project. */
export function usePublishers(slug: string): LoadedList<Publisher> {
  const { api } = useDashboard();
  return useList(`publishers of ${slug}`, async () => {
    const { publishers } = await api.call("GET /projects/:slug/publishers", { params: { slug } });
    return { items: publishers, nextCursor: null };
  });
}

interface PublishersProps {
  readonly project: Project;
  readonly list: LoadedList<Publisher>;
}

/** The CI jobs that may publish a project with their identity. */
export function Publishers({ project, list }: PublishersProps) {
  const { slug } = project;
  const canChange = isAdmin(project) && project.suspension === null;
  const [open, setOpen] = useState<"add" | Publisher>();
  const close = () => setOpen(undefined);
  const changed = async () => {
    await list.reload();
    close();
  };
  return (
    <>
      <div class="section titled">
        <h2>CI jobs that may publish</h2>
        {canChange && <Button onClick={() => setOpen("add")}>Add CI jobs</Button>}
      </div>
      <List
        list={list}
        label="CI jobs that may publish"
        keyOf={idOf}
        empty={
          <p class="empty hint">
            CI jobs that {canChange ? "you name" : "its owner or an admin names"} here publish this project without a
            token: GitHub or GitLab vouches for them.
          </p>
        }
        row={(publisher) => (
          <PublisherRow publisher={publisher} onRemove={canChange ? () => setOpen(publisher) : undefined} />
        )}
      />
      {open === "add" && (
        <Dialog title="Let CI jobs publish" onClose={close}>
          <AddPublisher slug={slug} onAdded={changed} onCancel={close} />
        </Dialog>
      )}
      {open && open !== "add" && (
        <RemovalDialog of={{ project: slug, pending: false, publisher: open }} onRemoved={changed} onClose={close} />
      )}
    </>
  );
}

interface RowProps {
  readonly publisher: Publisher;
  readonly onRemove: (() => void) | undefined;
}

function PublisherRow({ publisher, onRemove }: RowProps) {
  return (
    <>
      <div class="row-main">
        <h3>{titleOf(publisher)}</h3>
        <PublisherFacts publisher={publisher}>
          <span>
            added by <bdi>{adderOf(publisher)}</bdi>
          </span>
        </PublisherFacts>
      </div>
      {onRemove && (
        <div class="row-side">
          <RowButton label="Remove" of={titleOf(publisher)} risky onClick={onRemove} />
        </div>
      )}
    </>
  );
}
