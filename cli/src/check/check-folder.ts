import type { PreparedFile } from "../../../publisher/prepare.ts";
import type { DevSource } from "../dev/snapshot.ts";
import { serveFolder } from "../dev/start.ts";
import type { LocalFile } from "../publish/local-file.ts";
import type { DevTools } from "./devtools.ts";
import { brokenRules, type Portal, portals } from "./portals.ts";
import { otherHostsOf, type Problem, problemsOf, starts } from "./problems.ts";
import { type Screen, screens, type Visit, visit } from "./visit.ts";

export interface CheckOptions {
  readonly devTools: DevTools;
  readonly source: DevSource;
  readonly projectDirectory: string;
  readonly slug: string | undefined;
  readonly waitSeconds: number;
  readonly screens?: readonly Screen[];
}

/** What is known of a build after it was started. */
export interface Check {
  readonly starts: boolean;
  readonly visits: readonly Visit[];
  readonly problems: readonly Problem[];
  /** Advice that `svc publish` would give. */
  readonly warnings: readonly string[];
  readonly files: readonly PreparedFile<LocalFile>[];
  readonly portals: readonly PortalRow[];
}

export interface PortalRow extends Pick<Portal, "name" | "source" | "readOn"> {
  /** Rules that the build breaks; none: it fits. */
  readonly broken: readonly string[];
}

/**
 * Serves a folder as the game's own origin would, and starts it on each screen.
 *
 * @throws UserError if `svc publish` would refuse the folder
 */
export async function checkFolder(options: CheckOptions): Promise<Check> {
  const { devTools, source, projectDirectory, slug, waitSeconds } = options;
  const served = await serveFolder({
    ...{ source: () => source, projectDirectory, slug, port: 0, isReloading: false },
    onChanged: () => {},
    onRefused: () => {},
  });
  const { url, snapshot } = served;
  const visits: Visit[] = [];
  try {
    for (const screen of options.screens ?? screens) visits.push(await visit({ devTools, url, screen, waitSeconds }));
  } finally {
    served.close();
  }
  const files = [...snapshot.files.values()];
  const paths = files.map(({ path }) => path);
  const problems = problemsOf(visits, url.origin, paths);
  const build = {
    files,
    firstBytes: Math.max(...visits.map(({ inAll }) => inAll.bytes)),
    memoryBytes: Math.max(...visits.map(({ memoryBytes = 0 }) => memoryBytes)),
    otherHosts: otherHostsOf(visits, url.origin),
    absolutePaths: visits.flatMap(({ absolutePaths }) => absolutePaths),
  };
  return {
    ...{ starts: starts(problems), visits, problems, files, warnings: snapshot.warnings },
    portals: portals.map((portal) => ({
      ...{ name: portal.name, source: portal.source, readOn: portal.readOn },
      broken: brokenRules(portal, build),
    })),
  };
}
