import { useState } from "preact/hooks";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { EdgeNotice } from "../../parts/edge-notice.tsx";
import type { Edge, Project } from "../../resources.ts";
import { navigate } from "../../router.ts";
import { Invite } from "../members/invite.tsx";
import { DeleteProject } from "./delete-project.tsx";
import { SectionHeading, sections } from "./settings-sections.tsx";

interface OwnerProps {
  readonly project: Project;
  /** Somebody may be invited to take it over. */
  readonly onChanged: () => Promise<void>;
}

/** The actions that take a project from its owner: handing it over, and deleting it. */
export function HandOverOrDelete({ project, onChanged }: OwnerProps) {
  const [open, setOpen] = useState<"hand over" | "delete">();
  const [isWaiting, setWaiting] = useState(false);
  const { name } = project;
  const gone = async (edge: Edge) => {
    if (edge === "waiting") setWaiting(true);
    else leave();
  };
  const close = () => setOpen(undefined);
  return (
    <>
      <SectionHeading of={sections.delete} />
      <ul class="rows" aria-label={sections.delete.title}>
        <li class="row">
          <div class="row-main">
            <h3>Hand it over</h3>
            <p class="hint">Another developer takes it over as it is, with its address and its players.</p>
          </div>
          <div class="row-side">
            <Button onClick={() => setOpen("hand over")}>Hand over</Button>
          </div>
        </li>
        <li class="row">
          <div class="row-main">
            <h3>Delete it</h3>
            <p class="hint">Nobody can play it from then on. For 7 days you can restore it.</p>
          </div>
          <div class="row-side">
            <Button risky onClick={() => setOpen("delete")}>
              Delete project
            </Button>
          </div>
        </li>
      </ul>
      {open === "hand over" && (
        <Dialog title={`Hand ${name} over?`} onClose={close}>
          <Invite project={project} handsOver onInvited={onChanged} onClose={close} />
        </Dialog>
      )}
      {open === "delete" && (
        <Dialog title={isWaiting ? `${name} is deleted` : `Delete ${name}?`} onClose={isWaiting ? leave : close}>
          {isWaiting ? <Deleted /> : <DeleteProject project={project} onDone={gone} onCancel={close} />}
        </Dialog>
      )}
    </>
  );
}

const leave = () => navigate("/");

/** Stays if players can still play what was deleted, so that its owner knows. */
function Deleted() {
  return (
    <>
      <EdgeNotice edge="waiting" />
      <div class="actions">
        <Button onClick={leave}>Close</Button>
      </div>
    </>
  );
}
