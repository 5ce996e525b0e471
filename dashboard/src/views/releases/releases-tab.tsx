import type { ComponentChildren } from "preact";
import { useCallback, useEffect } from "preact/hooks";
import { idOf, List, type LoadedList } from "../../parts/list.tsx";
import type { Edge, ListedRelease, Project, Release } from "../../resources.ts";
import { isAdmin } from "../members/roles.ts";
import { ReleaseRow } from "./release-row.tsx";

interface ReleasesTabProps {
  readonly project: Project;
  readonly list: LoadedList<ListedRelease>;
  readonly onMakeLive: (release: Release) => void;
  readonly onDelete: (release: Release) => void;
  readonly onPreview: (edge: Edge) => Promise<void>;
  /** Area to drop the next release on; nothing if the project cannot be changed. */
  readonly dropArea: ComponentChildren;
}

/** All releases of a project, the latest first. */
export function ReleasesTab({ project, list, dropArea, ...on }: ReleasesTabProps) {
  const canChange = project.suspension === null;
  const hasPreviews = canChange && project.play_url !== null;
  const row = useCallback(
    (release: ListedRelease) => (
      <ReleaseRow {...{ project, release, canChange, hasPreviews, ...on }} canDelete={isAdmin(project)} />
    ),
    [project],
  );
  const isRead = list.items !== undefined;
  // A link of the history names one.
  useEffect(() => document.getElementById(location.hash.slice(1))?.scrollIntoView({ block: "center" }), [isRead]);
  return (
    <div class="grid">
      {dropArea}
      <List
        list={list}
        label="Releases"
        keyOf={idOf}
        empty={<p class="hint empty">Nothing published yet.</p>}
        row={row}
      />
    </div>
  );
}
