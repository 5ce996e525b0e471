import { useState } from "preact/hooks";
import { useDashboard } from "../../dashboard.ts";
import { messageOf } from "../../messages.ts";
import { Notice } from "../../parts/notice.tsx";
import { useReleasesChanged } from "../../publish/publishing.ts";
import type { Edge, Project } from "../../resources.ts";
import { DropArea } from "./drop-area.tsx";

interface PublishAreaProps {
  readonly project: Project;
  /** The releases may be others now. @param edge whether players see the one that went live */
  readonly onChanged: (edge?: Edge) => Promise<void>;
}

/** Takes a folder or a zip for a release of a project. What becomes of it is outside this view, and goes on without it. */
export function PublishArea({ project, onChanged }: PublishAreaProps) {
  const { publishing, publish } = useDashboard();
  const [problem, setProblem] = useState<string>();
  useReleasesChanged(project.slug, (edge) => {
    onChanged(edge).then(
      () => setProblem(undefined),
      (error) => setProblem(`What this page shows may be of before: ${messageOf(error)}`),
    );
  });
  const isRunning = publishing.some((one) => one.project.slug === project.slug && !one.isOver);
  return (
    <>
      {problem !== undefined && <Notice kind="problem">{problem}</Notice>}
      <DropArea
        title="Publish a new release"
        isOpen={!isRunning}
        onPicked={(picked) => picked && publish(project, picked)}
      />
    </>
  );
}
