import { useState } from "preact/hooks";
import { useDashboard } from "../../dashboard.ts";
import { Button, RowButton } from "../../parts/button.tsx";
import { Copy } from "../../parts/copy.tsx";
import { List, type LoadedList, useList } from "../../parts/list.tsx";
import { When } from "../../parts/time.tsx";
import type { PendingPublisher } from "../../resources.ts";
import { type OpenPublisher, PublisherDialogs } from "./publisher-dialogs.tsx";
import { PublisherFacts, titleOf } from "./publisher-facts.tsx";

/** @param isWanted whether the list is read already */
export function usePendingPublishers(isWanted: boolean): LoadedList<PendingPublisher> {
  const { api } = useDashboard();
  const load = async () => {
    const { publishers } = await api.call("GET /publishers");
    return { items: publishers, nextCursor: null };
  };
  return useList("pending publishers", load, isWanted);
}

/** The CI jobs that may create a project by their first publication. */
export function PendingPublishers({ list }: { list: LoadedList<PendingPublisher> }) {
  const { user } = useDashboard().account;
  const [open, setOpen] = useState<OpenPublisher>();
  const act = (what: "file" | "removal", pending: PendingPublisher) =>
    setOpen({ what, of: { ...pending, pending: true } });
  const isEmpty = list.items?.length === 0;
  return (
    <>
      {isEmpty ? (
        <div class="after-list">
          <Button kind="quiet" onClick={() => setOpen("add")}>
            Let CI jobs create a project
          </Button>
        </div>
      ) : (
        <div class="section titled">
          <h2>CI jobs that may create a project</h2>
          <Button onClick={() => setOpen("add")}>Add CI jobs</Button>
        </div>
      )}
      <List
        list={list}
        label="CI jobs that may create a project"
        keyOf={({ project }) => project}
        empty={null}
        row={(pending) => (
          <PendingRow pending={pending} onFile={() => act("file", pending)} onRemove={() => act("removal", pending)} />
        )}
      />
      {open && (
        <PublisherDialogs
          open={open}
          slug={undefined}
          owner={user.uid}
          onChanged={list.reload}
          onClose={() => setOpen(undefined)}
        />
      )}
    </>
  );
}

interface PendingRowProps {
  readonly pending: PendingPublisher;
  readonly onFile: () => void;
  readonly onRemove: () => void;
}

function PendingRow({ pending, onFile, onRemove }: PendingRowProps) {
  const { user } = useDashboard().account;
  const { project, publisher, expires_at: expiresAt } = pending;
  return (
    <>
      <div class="row-main">
        <h3>{project}</h3>
        <PublisherFacts publisher={publisher}>
          <span>{titleOf(publisher)}</span>
          <When it="expires" at={expiresAt} />
        </PublisherFacts>
        <p class="meta">
          <span>
            The job must name you as the owner: <Copy inline text={user.uid} label={`your user ID, for ${project}`} />
          </span>
        </p>
      </div>
      <div class="row-side">
        <RowButton label="Workflow file" of={`of ${titleOf(publisher)}, ${project}`} onClick={onFile} />
        <RowButton label="Remove" of={`${titleOf(publisher)}, ${project}`} risky onClick={onRemove} />
      </div>
    </>
  );
}
