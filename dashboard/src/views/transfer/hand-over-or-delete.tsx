import { useState } from "preact/hooks";
import { useDashboard } from "../../dashboard.ts";
import { Button } from "../../parts/button.tsx";
import { Copy } from "../../parts/copy.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { EdgeNotice } from "../../parts/edge-notice.tsx";
import { useSubmission } from "../../parts/form.ts";
import { later } from "../../parts/later.tsx";
import { Problem } from "../../parts/notice.tsx";
import { Time } from "../../parts/time.tsx";
import type { Edge, Project } from "../../resources.ts";
import { navigate, offerUrl } from "../../router.ts";

const OfferProject = later(async () => (await import("../seldom-shown.ts")).OfferProject);
const DeleteProject = later(async () => (await import("../seldom-shown.ts")).DeleteProject);

interface OwnerProps {
  readonly project: Project;
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
  const offered = async () => {
    await onChanged();
    close();
  };
  if (project.suspension) return null;
  return (
    <>
      <h2 class="section">Hand over or delete</h2>
      <ul class="rows" aria-label="Hand over or delete">
        <li class="row">
          {project.transfer ? (
            <StandingOffer project={project} transfer={project.transfer} onChanged={onChanged} />
          ) : (
            <>
              <div class="row-main">
                <h3>Hand it over</h3>
                <p class="hint">Another developer takes it over as it is, with its address and its players.</p>
              </div>
              <div class="row-side">
                <Button onClick={() => setOpen("hand over")}>Hand over</Button>
              </div>
            </>
          )}
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
        <Dialog title={`Hand ${name} over?`} onClose={offered}>
          <OfferProject project={project} onOffered={offered} onCancel={close} />
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

interface StandingOfferProps extends OwnerProps {
  readonly transfer: NonNullable<Project["transfer"]>;
}

/** An offer that waits for the other developer. */
function StandingOffer({ project: { slug }, transfer, onChanged }: StandingOfferProps) {
  const { api } = useDashboard();
  const submission = useSubmission();
  const cancel = () =>
    submission.run(async () => {
      await api.call("withdrawOffer", { method: "DELETE", path: "/projects/:slug/transfer", params: { slug } });
      await onChanged();
    });
  return (
    <>
      <div class="row-main">
        <h3>Offered</h3>
        <p class="meta">
          <span>
            to <code>{transfer.to}</code>
          </span>
          <span>
            expires <Time at={transfer.expires_at} />
          </span>
        </p>
        <p class="hint">Send them this link, on which they accept.</p>
        <Copy text={offerUrl(slug)} label="the link" />
        <Problem of={submission} />
      </div>
      <div class="row-side">
        <Button busy={submission.busy} doing="Cancelling…" onClick={cancel}>
          Cancel the offer
        </Button>
      </div>
    </>
  );
}
