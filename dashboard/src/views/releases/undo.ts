import type { Dashboard } from "../../dashboard.ts";
import { announceReleases } from "../../publish/publishing.ts";

interface LiveChange {
  readonly slug: string;
  /** What was done, as a sentence. */
  readonly text: string;
  /** The ids of the releases that were live before and are live now; null: none. */
  readonly before: string | null;
  readonly now: string | null;
}

/**
 * Says what was done to what players get, and offers to take it back. What somebody else has made live meanwhile stays: the API refuses
 * then (`current_release_changed`).
 */
export function offerUndo({ api, showToast }: Dashboard, { slug, text, before, now }: LiveChange): void {
  const undo = async () => {
    const body = { expect_current: now };
    const { edge } =
      before === null
        ? await api.call("POST /projects/:slug/unpublish", { params: { slug }, body })
        : await api.call("POST /projects/:slug/releases/:id/publish", { params: { slug, id: before }, body });
    announceReleases(slug, edge);
    showToast({
      text: before === null ? "Undone: nothing is live, as before." : "Undone: what was live is live again.",
    });
  };
  showToast({ text, act: { label: "Undo", doing: "Undoing…", run: undo } });
}
