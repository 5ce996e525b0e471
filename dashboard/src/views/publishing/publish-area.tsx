import { useState } from "preact/hooks";
import { Dialog } from "../../parts/dialog.tsx";
import { later } from "../../parts/later.tsx";
import type { Selection } from "../../publish/protocol.ts";
import { takeSelection } from "../../publish/waiting-selection.ts";
import type { Edge, Project } from "../../resources.ts";
import { DropArea } from "./drop-area.tsx";

const PublishPicked = later(async () => (await import("../seldom-shown.ts")).PublishPicked);

interface PublishAreaProps {
  readonly project: Project;
  /** The releases may be others now. @param edge whether players see the one that went live */
  readonly onChanged: (edge?: Edge) => Promise<void>;
}

/** Takes a folder or a zip for a release of a project, and publishes it in a dialog. */
export function PublishArea({ project, onChanged }: PublishAreaProps) {
  const [picked, setPicked] = useState<Selection | undefined>(() => takeSelection(project.slug));
  const [mustStay, setMustStay] = useState(false);
  const close = async () => {
    setPicked(undefined);
    setMustStay(false);
    await onChanged();
  };
  return (
    <>
      <DropArea title="Publish a new release" isOpen={picked === undefined} onPicked={setPicked} />
      {picked && (
        <Dialog title={`Publish ${project.name}`} onClose={close} {...(mustStay && { modal: "must decide" })}>
          <PublishPicked
            project={project}
            picked={picked}
            onBusy={setMustStay}
            onLive={(edge) => onChanged(edge)}
            onClose={close}
          />
        </Dialog>
      )}
    </>
  );
}
