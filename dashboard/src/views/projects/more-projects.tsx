import { serverNow } from "../../../../contract/api/time/server-time.ts";
import { useDashboard } from "../../dashboard.ts";
import { Button } from "../../parts/button.tsx";
import { useSubmission } from "../../parts/form.ts";
import { List, type LoadedList, useList } from "../../parts/list.tsx";
import { Problem } from "../../parts/notice.tsx";
import { When } from "../../parts/time.tsx";
import { useReleasesChanged } from "../../publish/publishing.ts";
import type { Edge, Project } from "../../resources.ts";
import { Invitations, useInvitations } from "../members/invitations.tsx";
import { PendingPublishers, usePendingPublishers } from "../publishers/pending-publishers.tsx";

/** Below the person's projects: where they are invited, what they have deleted, and what CI jobs may create. */
export function MoreProjects({ onRestored }: Pick<DeletedProjectProps, "onRestored">) {
  const isDeveloper = useDashboard().account.user.role === "dev";
  const invitations = useInvitations(true);
  const deleted = useDeletedProjects(isDeveloper);
  const pending = usePendingPublishers(isDeveloper);
  // A deletion that is taken back.
  useReleasesChanged(undefined, () => void deleted.reload());
  // They are shown together, so that none pushes another one down.
  const lists = isDeveloper ? [invitations, deleted, pending] : [invitations];
  if (!lists.every(({ items, problem }) => items ?? problem)) return null;
  return (
    <>
      <Invitations list={invitations} />
      <DeletedProjects list={deleted} onRestored={onRestored} />
      {isDeveloper && <PendingPublishers list={pending} />}
    </>
  );
}

function useDeletedProjects(isWanted: boolean): LoadedList<Project> {
  const { api } = useDashboard();
  const load = async (cursor: string | undefined) => {
    const page = await api.call("GET /projects", { query: { cursor, state: "deleted" } });
    return { items: page.projects, nextCursor: page.next_cursor };
  };
  return useList("deleted projects", load, isWanted);
}

interface DeletedProjectsProps extends Pick<DeletedProjectProps, "onRestored"> {
  readonly list: LoadedList<Project>;
}

/** Projects that can still be restored; nothing if none was deleted lately. */
function DeletedProjects({ list, onRestored }: DeletedProjectsProps) {
  if (list.items === undefined || list.items.length === 0) return null;
  const restored = async (edge: Edge) => {
    await Promise.all([onRestored(edge), list.reload()]);
  };
  return (
    <>
      <h2 class="section">Deleted</h2>
      <List
        list={list}
        label="Deleted projects"
        keyOf={({ slug }) => slug}
        empty={null}
        row={(project) => <DeletedProject project={project} onRestored={restored} />}
      />
    </>
  );
}

interface DeletedProjectProps {
  readonly project: Project;
  /** @param edge whether players see it by now */
  readonly onRestored: (edge: Edge) => Promise<void>;
}

export function DeletedProject({ project, onRestored }: DeletedProjectProps) {
  const { api } = useDashboard();
  const submission = useSubmission();
  const { slug, name, deletion, suspension } = project;
  const isInTime = deletion !== null && Date.parse(deletion.restorable_until) > serverNow();
  const isRestorable = isInTime && suspension === null;
  const restore = () =>
    submission.run(async () => {
      const { edge } = await api.call("POST /projects/:slug/restore", { params: { slug } });
      await onRestored(edge);
    });
  return (
    <>
      <div class="row-main">
        <h2 dir="auto">{name}</h2>
        <p class="meta">
          <code>{slug}</code>
          {suspension ? (
            <When it="closed by the operator" at={suspension.at} />
          ) : (
            deletion && <When it="deleted" at={deletion.at} />
          )}
          {isInTime && !suspension && <When it="gone for good" at={deletion.restorable_until} />}
          {!isInTime && <span>gone for good</span>}
        </p>
        <Problem of={submission} />
      </div>
      {isRestorable && (
        <div class="row-side">
          <Button
            kind="quiet"
            aria-label={`Restore ${name}`}
            busy={submission.busy}
            doing="Restoring…"
            onClick={restore}
          >
            Restore
          </Button>
        </div>
      )}
    </>
  );
}
