import type { ComponentChildren } from "preact";
import { useCallback } from "preact/hooks";
import { idOf, List, type LoadedList } from "../../parts/list.tsx";
import type { ListedRelease } from "../../resources.ts";
import type { ReleaseActionsProps } from "./previews.tsx";
import { ReleaseRow } from "./release-row.tsx";

interface ReleasesTabProps extends Omit<ReleaseActionsProps, "release"> {
  readonly list: LoadedList<ListedRelease>;
  /** Area to drop the next release on; nothing if the project cannot be changed. */
  readonly dropArea: ComponentChildren;
}

/** All releases of a project, the latest first. */
export function ReleasesTab({ list, dropArea, ...rest }: ReleasesTabProps) {
  const row = useCallback((release: ListedRelease) => <ReleaseRow {...{ release, ...rest }} />, [rest.project]);
  return (
    <div class="grid">
      {dropArea ?? <h2 class="visually-hidden">Releases</h2>}
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
