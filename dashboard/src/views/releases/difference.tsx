import { settingNames } from "../../../../contract/api/releases/setting-words.ts";
import { counted } from "../../format.ts";
import { Notice } from "../../parts/notice.tsx";
import type { ReleaseChanges, ReviewedChanges } from "../../resources.ts";

interface DifferenceProps {
  readonly changes: ReleaseChanges | undefined;
  /** Verb for the files that the live release lacks. */
  readonly added: "come back" | "are new";
}

/** Files that players would get then: their number, and the paths after a click. */
export function Difference({ changes, added }: DifferenceProps) {
  if (changes === undefined) return <p class="difference">Comparing the files…</p>;
  const kinds = [
    ["changed", "change"],
    ["added", added],
    ["removed", "go away"],
  ] as const;
  const different = kinds.filter(([kind]) => changes[kind].count > 0);
  const settings = changes.changed_settings.map((setting) => settingNames[setting]);
  return (
    <div class="difference">
      {different.length === 0 && <p>The files are the same.</p>}
      {different.map(([kind, verb]) => (
        <Paths key={kind} look={kind} of={changes[kind]} verb={changes[kind].count === 1 ? singular[verb] : verb} />
      ))}
      {settings.length > 0 && <p>Settings change: {settings.join(", ")}.</p>}
    </div>
  );
}

interface PathsProps {
  readonly of: ReleaseChanges["changed"];
  /** What the files do. */
  readonly verb: string;
  readonly look?: string;
}

/** A number of files, and their paths after a click. */
function Paths({ of: { count, paths }, verb, look }: PathsProps) {
  return (
    <details class={look}>
      <summary>
        {counted(count, "file")} {verb}
      </summary>
      <ul>
        {paths.slice(0, pathsShown).map((path) => (
          <li key={path}>
            <code>{path}</code>
          </li>
        ))}
      </ul>
      {count > pathsShown && <p class="hint">and {count - pathsShown} more</p>}
    </details>
  );
}

/** Deltas that the live release does not have, and copies that are not their files. */
export function Copies({ copies: { checked, deltas, false: wrong } }: Pick<ReviewedChanges, "copies">) {
  return (
    <div class="difference">
      {deltas.count > 0 && <Paths of={deltas} verb={deltas.count === 1 ? "has a new delta" : "have new deltas"} />}
      {wrong.count > 0 && (
        <Notice kind="problem">
          <Paths
            of={wrong}
            verb={`${wrong.count === 1 ? "has" : "have"} a compressed copy or a delta that is not the file`}
          />
          <p>Such copies are never sent. Players load these files whole.</p>
        </Notice>
      )}
      {!checked && <p class="hint">Compressed copies are still being checked. Until then players load whole files.</p>}
    </div>
  );
}

const pathsShown = 100;
const singular = {
  change: "changes",
  "come back": "comes back",
  "are new": "is new",
  "go away": "goes away",
} as const;
