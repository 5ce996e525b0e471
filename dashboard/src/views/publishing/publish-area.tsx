import { useDashboard } from "../../dashboard.ts";
import { useReleasesChanged } from "../../publish/publishing.ts";
import type { Edge, Project } from "../../resources.ts";
import { DropArea } from "./drop-area.tsx";

interface PublishAreaProps {
  readonly project: Project;
  /** The releases may be others now. @param edge whether players see the one that went live */
  readonly onChanged: (edge: Edge | undefined) => void;
}

/** Takes a folder or a zip for a release of a project. What becomes of it is outside this view, and goes on without it. */
export function PublishArea({ project, onChanged }: PublishAreaProps) {
  const { publishing, publish } = useDashboard();
  useReleasesChanged(project.slug, onChanged);
  const isRunning = publishing.some((one) => one.project.slug === project.slug && !one.isOver);
  return (
    <DropArea
      title="Publish a new release"
      isOpen={!isRunning}
      onPicked={(picked) => picked && publish(project, picked)}
    />
  );
}
