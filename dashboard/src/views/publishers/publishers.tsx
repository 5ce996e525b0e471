import { useState } from "preact/hooks";
import { useDashboard } from "../../dashboard.ts";
import { Button, RowButton } from "../../parts/button.tsx";
import { idOf, List, type LoadedList, useList } from "../../parts/list.tsx";
import type { Project, Publisher } from "../../resources.ts";
import { isAdmin, isPublisher } from "../members/roles.ts";
import { SectionHeading, sections } from "../projects/settings-sections.tsx";
import { type OpenPublisher, PublisherDialogs } from "./publisher-dialogs.tsx";
import { adderOf, PublisherFacts, titleOf } from "./publisher-facts.tsx";

/** The CI jobs that may publish a project; a viewer does not see them. */
export function usePublishers(project: Project): LoadedList<Publisher> {
  const { api } = useDashboard();
  const { slug } = project;
  const load = async () => {
    const { publishers } = await api.call("GET /projects/:slug/publishers", { params: { slug } });
    return { items: publishers, nextCursor: null };
  };
  return useList(`publishers of ${slug}`, load, isPublisher(project));
}

interface PublishersProps {
  readonly project: Project;
  readonly list: LoadedList<Publisher>;
  /** User ID of the project's owner, which jobs name. */
  readonly owner: string | undefined;
}

/** The CI jobs that may publish a project with their identity. */
export function Publishers({ project, list, owner }: PublishersProps) {
  const { slug } = project;
  const canChange = isAdmin(project) && project.suspension === null;
  const [open, setOpen] = useState<OpenPublisher>();
  const act = (what: "file" | "removal", publisher: Publisher) =>
    setOpen({ what, of: { project: slug, pending: false, publisher } });
  return (
    <>
      <SectionHeading of={sections.publishers}>
        {canChange && <Button onClick={() => setOpen("add")}>Add CI jobs</Button>}
      </SectionHeading>
      <List
        list={list}
        label={sections.publishers.title}
        keyOf={idOf}
        empty={
          <p class="empty hint">
            CI jobs that {canChange ? "you name" : "its owner or an admin names"} here publish this project without a
            token: GitHub or GitLab vouches for them.
          </p>
        }
        row={(publisher) => (
          <PublisherRow
            publisher={publisher}
            onFile={() => act("file", publisher)}
            onRemove={canChange ? () => act("removal", publisher) : undefined}
          />
        )}
      />
      {open && (
        <PublisherDialogs {...{ open, slug, owner }} onChanged={list.reload} onClose={() => setOpen(undefined)} />
      )}
    </>
  );
}

interface RowProps {
  readonly publisher: Publisher;
  readonly onFile: () => void;
  readonly onRemove: (() => void) | undefined;
}

function PublisherRow({ publisher, onFile, onRemove }: RowProps) {
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
      <div class="row-side">
        <RowButton label="Workflow file" of={`of ${titleOf(publisher)}`} onClick={onFile} />
        {onRemove && <RowButton label="Remove" of={titleOf(publisher)} risky onClick={onRemove} />}
      </div>
    </>
  );
}
