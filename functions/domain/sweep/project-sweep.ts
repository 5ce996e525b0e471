import type { Amount, Project } from "../../entities/project.ts";
import type { DeletionIntent } from "../../entities/sweep-run.ts";
import { deleteObjects } from "../../files/deletions.ts";
import { abortUpload } from "../../files/multipart.ts";
import { factsKey, fileKey, manifestKey, packsPrefix, proofKey } from "../../files/object-keys.ts";
import { setLedger } from "../../table/projects/ledger.ts";
import { readProject } from "../../table/projects/project-items.ts";
import {
  beginClosing,
  endClosing,
  endRelease,
  finishDeletion,
  readDeletionIntent,
  readEveryRelease,
  type SweptRelease,
  takeDeletionOver,
  writeDeletionIntent,
} from "../../table/sweep/object-items.ts";
import { plus } from "../projects/quota.ts";
import { openPreviews } from "../projects/state.ts";
import { type StoredItems, storedAmount } from "../projects/stored-items.ts";
import { startMissingCheck } from "../releases/copies.ts";
import { hashesOf, proofsOf } from "./deletion-intent.ts";
import { OutOfTime } from "./referenced-objects.ts";
import { isClosedForGood, provingManifests, type Retention, referencedManifests, releasesToEnd } from "./retention.ts";
import { listed, type ReferencedUsage, type UnreferencedObject, unreferencedObjects } from "./unreferenced-objects.ts";

/*
 * The sweep of one project: docs/decisions/0016-sweep.md, step by step.
 */

/** Options of a sweep. */
export interface Sweep {
  readonly retention: Retention;
  readonly now: () => Date;
  /** Whether there is time for one more deletion, or for reading one more manifest. */
  readonly hasTime: () => boolean;
  /** What options store in projects; nothing if it is left out. */
  readonly stored?: readonly StoredItems[];
}

/** The result of a project's sweep. */
export interface SweepResult {
  /** `again`: it has to be done again soon; `busy`: releases are opened all the time, so the next sweep will do. */
  readonly outcome: "done" | "busy" | "again";
  readonly endedReleases: number;
  readonly deletedObjects: number;
}

const nothing: Amount = { bytes: 0, objects: 0 };
const leaseMilliseconds = 60_000;
/** Margin for clocks that differ. */
const marginMilliseconds = 5 * 60_000;
const objectsPerDeletion = 5_000;
const maximumAttempts = 3;

/** Deletes the releases of a project that are not kept, and the objects that no release needs. */
export async function sweepProject(slug: string, sweep: Sweep): Promise<SweepResult> {
  const project = await readProject(slug);
  if (project === undefined || project.sweptAt !== undefined)
    return { outcome: "done", endedReleases: 0, deletedObjects: 0 };
  const left = project.deleting ? await continueDeletion(project, sweep) : 0;
  if (left === "leased") return { outcome: "again", endedReleases: 0, deletedObjects: 0 };
  const endedReleases = await endReleases(slug, sweep);
  let deletedObjects = left + (await deletePacks(slug, sweep));
  for (let attempt = 0; attempt < maximumAttempts; attempt += 1) {
    const { outcome, deleted } = await deleteUnreferenced(slug, sweep);
    deletedObjects += deleted;
    if (outcome === "done") await startMissingChecks(slug, sweep.now());
    if (outcome !== "changed") return { outcome, endedReleases, deletedObjects };
  }
  return { outcome: "busy", endedReleases, deletedObjects };
}

/**
 * Starts the checks of what players may get now and nobody has checked: it went live before the service checked copies, or the function that
 * does failed. What is made live again is checked then.
 */
async function startMissingChecks(slug: string, now: Date): Promise<void> {
  const project = await readProject(slug);
  if (project === undefined || project.deletedAt !== undefined) return;
  const previews = openPreviews(project, now).map(
    ({ manifest, previewOnly = false }) => [manifest, previewOnly] as const,
  );
  const live = project.currentRelease ? [[project.currentRelease.manifest, false] as const] : [];
  for (const [digest, previewOnly] of new Map([...previews, ...live]))
    await startMissingCheck(project, { digest, previewOnly }, now);
}

/** @returns how many objects it deleted; "leased": another sweeper may be working on the project */
async function continueDeletion({ slug }: Project, sweep: Sweep): Promise<number | "leased"> {
  const left = await readDeletionIntent(slug);
  if (left === undefined) return 0;
  const intendedAt = sweep.now();
  if (Date.parse(left.leaseEndsAt) + marginMilliseconds > intendedAt.getTime()) return "leased";
  const next = { ...left, epoch: left.epoch + 1, leaseEndsAt: leaseEnd(intendedAt) };
  return (await takeDeletionOver(slug, left, next)) ? await carryOut(slug, next, intendedAt) : "leased";
}

async function endReleases(slug: string, sweep: Pick<Sweep, "retention" | "now">): Promise<number> {
  const project = await readProject(slug);
  if (project === undefined) return 0;
  const isClosing = project.sweepBegunAt !== undefined;
  if (!isClosing && isClosedForGood(project, sweep.now())) {
    const hasBegun = await beginClosing(project, sweep.now());
    return hasBegun ? await endReleases(slug, sweep) : 0;
  }
  let ended = 0;
  for (const release of releasesToEnd(project, await readEveryRelease(slug), sweep.retention, sweep.now()))
    if (await endRelease(project, release)) ended += 1;
  return ended;
}

/**
 * Deletes the packs of drafts that there are no more. A draft that somebody opens later has another id, so that no deletion intent is needed;
 * that of a pack that is listed was opened before.
 */
async function deletePacks(slug: string, { now }: Pick<Sweep, "now">): Promise<number> {
  const prefix = packsPrefix(slug);
  const names: string[] = [];
  for await (const { name } of listed(prefix, "", undefined)) names.push(name);
  if (names.length === 0) return 0;
  const drafts = new Set((await readEveryRelease(slug)).filter(isDraft).map(({ id }) => id));
  const ended = names.filter((name) => !drafts.has(name.split("/")[0] ?? ""));
  const keys = ended.map((name) => prefix + name);
  return (await deleteObjects(keys, now(), leaseMilliseconds)).deleted;
}

function isDraft({ publishedAt, withdrawnAt }: SweptRelease): boolean {
  return publishedAt === undefined && withdrawnAt === undefined;
}

/** @returns "changed" if something was opened meanwhile: what it needs is not known */
async function deleteUnreferenced(
  slug: string,
  sweep: Sweep,
): Promise<{ outcome: "done" | "again" | "changed"; deleted: number }> {
  let project = await readProject(slug);
  if (project === undefined) return { outcome: "done", deleted: 0 };
  const releases = await readEveryRelease(slug);
  const needed: ReferencedUsage = { bytes: 0, objects: 0 };
  const referenced = { manifests: referencedManifests(releases), proving: provingManifests(slug, releases) };
  let deleted = 0;
  try {
    for await (const objects of parts(unreferencedObjects(slug, referenced, needed, sweep))) {
      if (!sweep.hasTime()) return { outcome: "again", deleted };
      const intendedAt = sweep.now();
      const deletion = deletionOf(objects, (project.epoch ?? 0) + 1, intendedAt);
      if (!(await writeDeletionIntent(project, deletion))) return { outcome: "changed", deleted };
      deleted += await carryOut(slug, deletion, intendedAt);
      await abortUploads(objects);
      // No release was opened until the deletion intent, so what was read is still true for the next part.
      project = { ...project, epoch: deletion.epoch };
    }
  } catch (error) {
    if (error instanceof OutOfTime) return { outcome: "again", deleted };
    throw error;
  }
  const open = releases.filter(({ publishedAt }) => publishedAt === undefined);
  const drafts = open
    .flatMap(({ previewOnly, reserved }) => (previewOnly && reserved ? [reserved] : []))
    .reduce(plus, nothing);
  const usage = plus(needed, await keptByOptions(project, sweep));
  if (!(await setLedger(project, { ...usage, drafts, openReleases: open.length })))
    return { outcome: "changed", deleted };
  if (project.sweepBegunAt !== undefined && releases.length === 0) await endClosing(project, sweep.now());
  return { outcome: "done", deleted };
}

/** Amount that items of options count for; those of a project that is closed for good are deleted. */
async function keptByOptions({ slug, sweepBegunAt }: Project, { stored = [], now }: Sweep): Promise<Amount> {
  if (sweepBegunAt === undefined) return await storedAmount(stored, slug, now());
  for (const items of stored) await items.erase(slug);
  return nothing;
}

/** Sends the DELETE requests of a deletion intent and ends it. */
async function carryOut(slug: string, deletion: DeletionIntent, intendedAt: Date): Promise<number> {
  const files = hashesOf(deletion.files).map((sha256) => fileKey(slug, sha256));
  const manifests = hashesOf(deletion.manifests).map((digest) => manifestKey(slug, digest));
  const facts = hashesOf(deletion.facts ?? Buffer.of()).map((digest) => factsKey(slug, digest));
  const proofs = proofsOf(deletion).map(({ opener, sha256 }) => proofKey(slug, opener, sha256));
  const { deleted, refused, withoutResponse } = await deleteObjects(
    [...files, ...manifests, ...facts, ...proofs],
    intendedAt,
    leaseMilliseconds,
  );
  // A request without a response may still arrive until the lease ends; then the next sweeper takes the deletion over.
  if (withoutResponse > 0) throw new Error(`${withoutResponse} DELETE requests had no response`);
  await finishDeletion(slug, deletion.epoch);
  if (refused > 0) throw new Error(`${refused} DELETE requests were refused`);
  return deleted;
}

/** A release that is opened meanwhile and needs such a file begins its upload anew. */
async function abortUploads(objects: readonly UnreferencedObject[]): Promise<void> {
  for (const { upload } of objects) if (upload !== undefined) await abortUpload(upload.key, upload.id);
}

function deletionOf(objects: readonly UnreferencedObject[], epoch: number, intendedAt: Date): DeletionIntent {
  const hashes = (wanted: UnreferencedObject["kind"]) =>
    Buffer.from(objects.flatMap(({ kind, sha256 }) => (kind === wanted ? [sha256] : [])).join(""), "hex");
  const facts = hashes("facts");
  const proofs = Buffer.from(
    objects.flatMap(({ kind, opener = "", sha256 }) => (kind === "proof" ? [opener + sha256] : [])).join(""),
    "hex",
  );
  return {
    epoch,
    leaseEndsAt: leaseEnd(intendedAt),
    files: hashes("file"),
    manifests: hashes("manifest"),
    ...(facts.length > 0 && { facts }),
    ...(proofs.length > 0 && { proofs }),
  };
}

function leaseEnd(intendedAt: Date): string {
  return new Date(intendedAt.getTime() + leaseMilliseconds).toISOString();
}

async function* parts(objects: AsyncIterable<UnreferencedObject>): AsyncGenerator<UnreferencedObject[]> {
  let part: UnreferencedObject[] = [];
  for await (const object of objects) {
    part.push(object);
    if (part.length < objectsPerDeletion) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}
