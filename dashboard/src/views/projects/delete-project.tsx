import { limits } from "../../../../contract/api/limits.ts";
import { useDashboard } from "../../dashboard.ts";
import { counted } from "../../format.ts";
import { ConfirmationForm } from "../../parts/confirmation.tsx";
import { Decision } from "../../parts/decision.tsx";
import { Facts } from "../../parts/facts.tsx";
import { announceReleases } from "../../publish/publishing.ts";
import type { Project } from "../../resources.ts";
import { type ChangeProps, unlessOutdated } from "../releases/outdated.ts";
import { offerUndo } from "../releases/undo.ts";

interface TakeOfflineProps extends ChangeProps {
  readonly project: Project;
}

/** Takes the live release from players; every release is kept. */
export function TakeOffline({ project, onDone, onOutdated, onCancel }: TakeOfflineProps) {
  const dashboard = useDashboard();
  const { api } = dashboard;
  const takeOffline = async () => {
    const body = { expect_current: project.current_release?.id ?? null };
    const params = { slug: project.slug };
    const call = api.call("POST /projects/:slug/unpublish", { params, body });
    const { edge } = await unlessOutdated(call, onOutdated);
    await onDone(edge);
    const before = project.current_release?.id ?? null;
    offerUndo(dashboard, { slug: project.slug, text: `${project.name} is offline.`, before, now: null });
  };
  return (
    <>
      <Facts
        of={[
          [
            "Players",
            "read “Nothing to play now” from their next visit on. What they have saved stays on their devices.",
          ],
          ["Releases", "are all kept. Make one live again whenever you like."],
          ...(project.schedule ? [["The schedule", "ends: no release goes live by itself then."] as const] : []),
        ]}
      />
      <Decision submit="Take offline" doing="Taking it offline…" onDecided={takeOffline} onCancel={onCancel} />
    </>
  );
}

/** Says what a deletion means, and deletes once the address is typed. */
export function DeleteProject({ project: { slug, name }, onDone, onCancel }: Omit<TakeOfflineProps, "onOutdated">) {
  const { api, showToast } = useDashboard();
  const restore = async () => {
    const { edge } = await api.call("POST /projects/:slug/restore", { params: { slug } });
    announceReleases(slug, edge);
    showToast({ text: `${name} is restored.` });
  };
  const remove = async () => {
    const { edge } = await api.call("DELETE /projects/:slug", { params: { slug } });
    await onDone(edge);
    showToast({ text: `${name} is deleted.`, act: { label: "Undo", doing: "Undoing…", run: restore } });
  };
  return (
    <ConfirmationForm word={slug} submit="Delete project" doing="Deleting…" onConfirmed={remove} onCancel={onCancel}>
      <Facts
        of={[
          ["Players", "find no game here from their next visit on."],
          [
            "You",
            `can restore it for ${counted(limits.projectRestoreDays, "day")}, on the Projects page. After that its releases are gone for good.`,
          ],
          ["Its address", `stays closed to everybody else for ${counted(limits.deletedSlugDays, "day")}.`],
        ]}
      />
    </ConfirmationForm>
  );
}
