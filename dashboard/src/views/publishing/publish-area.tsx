import type { JSX } from "preact";
import { useDashboard } from "../../dashboard.ts";
import { useReleasesChanged } from "../../publish/publishing.ts";
import type { Edge, Project } from "../../resources.ts";
import { DropArea, useDropTarget } from "./drop-area.tsx";

/**
 * Takes a folder or a zip for a release of a project, also one that is dropped beside the area or on another tab. What becomes of it is
 * outside the project's view, and goes on without it.
 *
 * @param project undefined if it cannot be changed
 * @param onChanged the releases may be others now; told whether players see the one that went live
 * @returns the area, for the tabs that show it
 */
export function usePublishArea(
  project: Project | undefined,
  tab: string,
  onChanged: (edge: Edge | undefined) => void,
): JSX.Element | undefined {
  const { publishing, publish } = useDashboard();
  useReleasesChanged(project?.slug, onChanged);
  const isRunning = publishing.some((one) => one.project && one.project.slug === project?.slug && !one.isOver);
  const isOpen = project !== undefined && !isRunning;
  useDropTarget(isOpen ? (picked) => publish(project, picked) : null);
  return (
    project && (
      <DropArea
        title={project.current_release ? "Drop your next build anywhere" : "Drop your game anywhere"}
        size={tab === "releases" ? "wide-area" : project.current_release ? undefined : "large"}
        isOpen={isOpen}
        onPicked={(picked) => publish(project, picked)}
      />
    )
  );
}
