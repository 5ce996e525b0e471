import { useDashboard } from "../../dashboard.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Facts } from "../../parts/facts.tsx";
import { useSubmission } from "../../parts/form.ts";
import { Problem } from "../../parts/notice.tsx";
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
  const submission = useSubmission();
  const remove = () =>
    submission.run(async () => {
      await (pending
        ? api.call("deletePendingPublisher", { method: "DELETE", path: "/publishers/:slug", params: { slug: project } })
        : api.call("deletePublisher", {
            method: "DELETE",
            path: "/projects/:slug/publishers/:id",
            params: { slug: project, id: publisher.id },
          }));
      await onRemoved();
    });
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
      <Problem of={submission} />
      <div class="actions">
        <Button onClick={onClose}>Keep it</Button>
        <Button kind="danger" busy={submission.busy} doing="Removing…" onClick={remove}>
          Remove
        </Button>
      </div>
    </Dialog>
  );
}
