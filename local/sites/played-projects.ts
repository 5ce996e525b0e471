import type { Project as Pointer } from "../../edge/begin.ts";
import { parsePointer, pointerValue } from "../../edge/pointer.ts";
import type { ManifestReader } from "../../edge/search.ts";
import { pointerOf } from "../../functions/domain/projects/pointers.ts";
import { findManifest } from "../../functions/files/manifests.ts";
import { readProject } from "../../functions/table/projects/projects.ts";

/** What a player's request needs of a project. */
export interface PlayedProject {
  readonly pointer: Pointer;
  readonly readManifest: ManifestReader;
}

/** How long a pointer is cached: players see a new release after this time at most. */
const pointerMilliseconds = 1_000;
const keptProjects = 1_000;

/**
 * The game host's cache: the pointer of each project, read at most once a second. functions/files/manifests.ts caches
 * manifests.
 */
export class PlayedProjects {
  readonly #kept = new Map<string, { readonly readAt: number; readonly project: Promise<PlayedProject> }>();

  /** @param slug undefined for a host name that no project can have */
  find(slug: string | undefined): Promise<PlayedProject> {
    if (slug === undefined) return Promise.resolve({ pointer: { kind: "none" }, readManifest: async () => undefined });
    const now = Date.now();
    const kept = this.#kept.get(slug);
    if (kept !== undefined && now - kept.readAt < pointerMilliseconds) return kept.project;
    const project = readPlayed(slug);
    this.#kept.delete(slug);
    this.#kept.set(slug, { readAt: now, project });
    // After a failure the next request reads again.
    project.catch(() => this.#kept.delete(slug));
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > keptProjects && oldest !== undefined) this.#kept.delete(oldest);
    return project;
  }
}

async function readPlayed(slug: string): Promise<PlayedProject> {
  // By the text that the deployed edge reads, so that games play here as they will there.
  const pointer = parsePointer(pointerValue(pointerOf(await readProject(slug))));
  return { pointer, readManifest: (digest) => findManifest(slug, digest) };
}
