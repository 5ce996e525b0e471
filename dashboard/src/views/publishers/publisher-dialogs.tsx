import { Dialog } from "../../parts/dialog.tsx";
import type { TrustedPublisher } from "../../resources.ts";
import { AddPublisher } from "./add-publisher.tsx";
import { RemovalDialog } from "./removal-dialog.tsx";
import { WorkflowFile } from "./workflow-file.tsx";

/** Dialog that is open: the form for another publisher, or the file or the removal of one. */
export type OpenPublisher = "add" | { readonly what: "file" | "removal"; readonly of: TrustedPublisher };

interface PublisherDialogsProps {
  readonly open: OpenPublisher;
  /** The project; undefined: one that does not exist yet. */
  readonly slug: string | undefined;
  /** User ID of the project's owner, which jobs name; undefined if it is not known. */
  readonly owner: string | undefined;
  readonly onChanged: () => Promise<void>;
  readonly onClose: () => void;
}

/** The dialogs of a list of publishers. */
export function PublisherDialogs({ open, slug, owner, onChanged, onClose }: PublisherDialogsProps) {
  if (open === "add")
    return (
      <Dialog title={`Let CI jobs ${slug === undefined ? "create a project" : "publish"}`} onClose={onClose}>
        <AddPublisher slug={slug} owner={owner} onAdded={onChanged} onCancel={onClose} />
      </Dialog>
    );
  const { what, of } = open;
  if (what === "file")
    return (
      <Dialog title="Workflow file" onClose={onClose}>
        <WorkflowFile publisher={of.publisher} project={of.project} owner={owner} onClose={onClose} />
      </Dialog>
    );
  const removed = async () => {
    await onChanged();
    onClose();
  };
  return <RemovalDialog of={of} onRemoved={removed} onClose={onClose} />;
}
