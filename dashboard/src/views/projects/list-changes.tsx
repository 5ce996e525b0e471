import { useDashboard } from "../../dashboard.ts";
import { useWatch, WatchProblem } from "../../parts/watch.tsx";
import type { ListedProject, ProjectList } from "./project-list.ts";

/** Watches the list of projects, and says if another release of one has gone live. */
export function ListChanges({ list }: { list: ProjectList }) {
  const { showToast } = useDashboard();
  const problem = useWatch(async (client) => {
    const changed = await list.refresh(client);
    const [project, ...others] = changed ? newlyLive(...changed) : [];
    if (project === undefined) return;
    showToast({
      text: (
        <>
          <a href={`/projects/${project.slug}`}>
            <bdi>{project.name}</bdi>
          </a>{" "}
          has another live release{others.length > 0 && `, and so have ${others.length} more`}
        </>
      ),
    });
  });
  return <WatchProblem text={problem} />;
}

function newlyLive(before: readonly ListedProject[], now: readonly ListedProject[]): ListedProject[] {
  const liveOf = (slug: string) => before.find((project) => project.slug === slug)?.current_release?.id;
  return now.filter(({ slug, current_release: live }) => live && live.id !== liveOf(slug));
}
