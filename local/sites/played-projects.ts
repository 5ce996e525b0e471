import type { Project as Pointer } from "../../edge/begin.ts";
import type { Site as GameSite } from "../../edge/host.ts";
import { parsePointer, parsePreview, previewKey } from "../../edge/pointer.ts";
import type { ManifestReader } from "../../edge/search.ts";
import { entriesOf } from "../../functions/domain/projects/pointers.ts";
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

  find(site: GameSite): Promise<PlayedProject> {
    if (site.kind === "none")
      return Promise.resolve({ pointer: { kind: "none" }, readManifest: async () => undefined });
    const key = site.kind === "preview" ? previewKey(site.slug, site.digest) : site.slug;
    const now = Date.now();
    const kept = this.#kept.get(key);
    if (kept !== undefined && now - kept.readAt < pointerMilliseconds) return kept.project;
    const project = readPlayed(site, key);
    this.#kept.delete(key);
    this.#kept.set(key, { readAt: now, project });
    // After a failure the next request reads again.
    project.catch(() => this.#kept.delete(key));
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > keptProjects && oldest !== undefined) this.#kept.delete(oldest);
    return project;
  }
}

/** By the text that the deployed edge reads, so that games play here as they will there. */
async function readPlayed({ kind, slug }: Exclude<GameSite, { kind: "none" }>, key: string): Promise<PlayedProject> {
  const project = await readProject(slug);
  const now = new Date();
  const value = new Map(entriesOf(slug, project, now)).get(key);
  const pointer = kind === "preview" ? parsePreview(value, now.getTime() / 1_000) : parsePointer(value);
  return { pointer, readManifest: (digest) => findManifest(slug, digest) };
}
