import { slugOfKey } from "../../../edge/project/pointer.ts";
import { pointerNow } from "../../../functions/domain/projects/pointers.ts";
import { ServiceError } from "../../../functions/domain/service-error.ts";
import { readProject } from "../../../functions/table/projects/project-items.ts";
import type { Crash } from "../contract/crashes.ts";
import { addCrashes, hasCrashes } from "./crash-items.ts";
import { tellIfWorse } from "./worse-notice.ts";

/** Page that crashed: the key of its game or preview (edge/project/pointer.ts), and the name of its release at the edge. */
interface CrashedPage {
  readonly site: string;
  readonly release: string;
}

/**
 * Counts crashes of a release that can be played there now: the live one, a preview's, or an earlier one with which visits go on. Anybody may
 * send them, so nothing is counted of a release that the edge does not name, nor if
 * the project does without reports.
 *
 * The first report of an hour has owner and admins told if the live release is clearly worse than the one before it.
 *
 * @throws ServiceError `release_not_found`
 */
export async function countCrashes(
  { site, release }: CrashedPage,
  crashes: readonly Crash[],
  now: Date,
): Promise<void> {
  const slug = slugOfKey(site);
  const project = await readProject(slug);
  const shown = pointerNow(site, project, now);
  const isOff = project?.switchedOff?.includes("reports");
  if (isOff || shown.kind !== "live" || ![shown.live, ...shown.earlier].includes(release))
    throw new ServiceError("release_not_found");
  if (crashes.length === 0) return;
  const id = { slug, hour: now.toISOString().slice(0, 13), release, isPreview: site !== slug };
  // Before the crashes are counted: if it fails, the browser sends the same report again.
  if (project && !id.isPreview && !(await hasCrashes(id))) await tellIfWorse(project, now);
  await addCrashes(id, crashes, now);
}
