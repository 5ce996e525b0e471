import { setTimeout as delay } from "node:timers/promises";
import type { Project } from "../../entities/project.ts";
import type { Release } from "../../entities/release.ts";
import { type CopyFacts, findCopyFacts, pathsThatDiffer, requestCheck } from "../../files/copy-facts.ts";
import { findManifest, readManifest } from "../../files/manifests.ts";
import type { ProjectActor } from "../authentication.ts";
import { ServiceError } from "../service-error.ts";
import { isPreviewOnly } from "./openers.ts";

/** Releases that were live before the live one, whose files may be dictionaries and whose copies are known. */
const olderReleases = 3;

/** A manifest whose copies are checked. */
interface CheckedManifest {
  readonly digest: string;
  /** Whether who made it may only open previews: whether a delta of it unpacks tells nothing of files that it may not see. */
  readonly previewOnly: boolean;
}

/** Starts the check of a release's copies, those that have arrived; the others follow when they arrive. */
export async function startCheck(
  { slug, currentRelease }: Project,
  { digest, previewOnly }: CheckedManifest,
  now: Date,
): Promise<void> {
  const earlier = previewOnly ? [] : (currentRelease?.earlier ?? []);
  const digests = currentRelease ? [currentRelease.manifest, ...earlier] : [];
  const older = digests.filter((each) => each !== digest).slice(0, 1 + olderReleases);
  await requestCheck(slug, digest, { older, ...(previewOnly && { onlyNamed: true }) }, now);
}

/** Starts the check of a manifest of which nothing is known, though it names copies. */
export async function startMissingCheck(project: Project, checked: CheckedManifest, now: Date): Promise<void> {
  const [manifest, facts] = await Promise.all([
    findManifest(project.slug, checked.digest),
    findCopyFacts(project.slug, checked.digest),
  ]);
  if (manifest?.hasCopies && facts === undefined) await startCheck(project, checked, now);
}

/** How many copies of each of these releases, by its id, were found not to be their files; none while nobody has checked them. */
export async function countFalseCopies(
  slug: string,
  releases: readonly Release[],
): Promise<ReadonlyMap<string, number>> {
  const counted = releases.map(async ({ id, manifest }) => {
    const facts = await findCopyFacts(slug, manifest);
    return [id, facts?.falseCopies ?? 0] as const;
  });
  return new Map(await Promise.all(counted));
}

/** A usual check is over by then. A release whose check takes longer goes live without its copies, which follow. */
const patienceMilliseconds = 8_000;
const pauseMilliseconds = 150;

/**
 * Refuses a release with a copy that is not its file, if it was never live: of one that was, such a copy is never sent.
 *
 * @throws ServiceError `copies_differ`, naming files
 */
export async function assertCopies(actor: ProjectActor, release: Release, now: Date): Promise<void> {
  const { slug } = actor.project;
  const manifest = await readManifest(slug, release.manifest);
  if (!manifest.hasCopies) return;
  const facts = (await findCopyFacts(slug, release.manifest)) ?? (await checked(actor, release, now));
  if (facts === undefined || release.publishedAt !== undefined) return;
  const paths = pathsThatDiffer(manifest, facts);
  if (paths.length > 0) throw copiesDiffer(paths);
}

async function checked(actor: ProjectActor, { manifest }: Release, now: Date): Promise<CopyFacts | undefined> {
  const { project } = actor;
  await startCheck(project, { digest: manifest, previewOnly: isPreviewOnly(actor) }, now);
  const until = performance.now() + patienceMilliseconds;
  while (performance.now() < until) {
    const facts = await findCopyFacts(project.slug, manifest);
    if (facts !== undefined) return facts;
    await delay(pauseMilliseconds);
  }
  return undefined;
}

const pathsNamed = 5;

function copiesDiffer(paths: readonly string[]): ServiceError {
  const named = paths.slice(0, pathsNamed).join(", ");
  const others = paths.length > pathsNamed ? ` and ${paths.length - pathsNamed} others` : "";
  const detail = `The Brotli copy or a delta of ${named}${others} does not unpack to the file. Make the copies again, then publish.`;
  return new ServiceError("copies_differ", { detail });
}
