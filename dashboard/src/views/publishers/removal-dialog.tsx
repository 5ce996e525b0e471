import { useDashboard } from "../../dashboard.ts";
import { Decision } from "../../parts/decision.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Facts } from "../../parts/facts.tsx";
import type { TrustedPublisher } from "../../resources.ts";
import { titleOf } from "./publisher-facts.tsx";

interface RemovalDialogProps {
  readonly of: TrustedPublisher;
  readonly onRemoved: () => Promise<void>;
  readonly onClose: () => void;
}

/** Asks before a publisher is deleted, also a pending one. */
export function RemovalDialog({ of, onRemoved, onClose }: RemovalDialogProps) {
  const { project, pending, publisher } = of;
  const { api } = useDashboard();
  const remove = async () => {
    await (pending
      ? api.call("DELETE /publishers/:slug", { params: { slug: project }, empty: true })
      : api.call("DELETE /projects/:slug/publishers/:id", {
          params: { slug: project, id: publisher.id },
          empty: true,
        }));
    await onRemoved();
  };
  return (
    <Dialog
      title={`Stop CI jobs of ${titleOf(publisher)} from ${pending ? `creating ${project}` : "publishing"}?`}
      onClose={onClose}
    >
      <Facts
        of={
          pending
            ? [["Its jobs", `cannot create ${project} any more. The address stays free.`]]
            : [
                [
                  "Its jobs",
                  "cannot publish any more. One that is publishing now is refused from its next request on.",
                ],
                ["Releases", "that they published stay as they are."],
              ]
        }
      />
      <Decision submit="Remove" doing="Removing…" keep="Keep it" onDecided={remove} onCancel={onClose} />
    </Dialog>
  );
}
