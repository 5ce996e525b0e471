import { limits } from "../../../contract/api/limits.ts";
import { partSizes } from "../../../contract/folder/content-hash.ts";
import { nameOfParts } from "../../../contract/folder/parts.ts";
import { ConflictError } from "../../conflict.ts";
import { type Manifest, readManifest } from "../../files/manifests.ts";
import { abortUpload, beginUpload, completeUpload, copyPart, findUploads, storedParts } from "../../files/multipart.ts";
import { filesPrefix } from "../../files/object-keys.ts";
import { type Part, partUrl, type Upload } from "../../files/store.ts";
import { assertStillActive, type ProjectActor } from "../authentication.ts";
import { ServiceError } from "../service-error.ts";
import { unsentFiles, uploadPrefix } from "./proofs.ts";
import { assertNotWithdrawn, findVisible, readLiveManifest } from "./releases.ts";
import { urlValidity } from "./uploads.ts";

/** Uploads that a file sent in parts still lacks. */
export interface PartUploads {
  /** Whether the file is complete. */
  readonly stored: boolean;
  readonly parts: readonly (Upload & { readonly number: number })[];
  readonly expiresAt: string;
}

/** A file of a release, as its publisher splits it. */
interface FileInParts {
  readonly releaseId: string;
  readonly sha256: string;
  readonly parts: readonly string[];
  /** 16 MiB if it is undefined. */
  readonly bytesPerPart?: number | undefined;
  readonly copies?: readonly Copy[] | undefined;
}

/** Part of a file, and where its publisher believes its bytes to be in another one. */
interface Copy {
  readonly number: number;
  readonly sha256: string;
  readonly offset: number;
}

/**
 * Begins the upload of a file in parts, or finds how far it is. Copies those that the store has in other files. Where no part is
 * missing, completes it. The parts must be those that the file's name is made of, so that a caller cannot say anything untrue of them.
 *
 * @throws ServiceError `release_not_found`; `release_withdrawn`; `validation_failed` for parts that are not those of the file;
 * `token_revoked`, `token_expired`
 */
export async function continueUpload(actor: ProjectActor, file: FileInParts, now: Date): Promise<PartUploads> {
  const { project } = actor;
  const release = await findVisible(actor, file.releaseId, now);
  assertNotWithdrawn(release);
  const manifest = await readManifest(project.slug, release.manifest);
  const size = manifest.sizes().get(file.sha256);
  const parts = partsOf(file, size);
  await assertStillActive(actor, now);
  const { seconds, expiresAt } = urlValidity(release, now);
  const wanted = new Map([[file.sha256, size ?? 0]]);
  const [missing] = await unsentFiles(actor, wanted);
  if (missing === undefined) return { stored: true, parts: [], expiresAt };
  const key = uploadPrefix(actor) + file.sha256;
  const uploadId = await onlyUpload(key);
  const readStored = async () => (await storedParts(key, uploadId)).filter((one) => isSame(one, parts[one.number - 1]));
  let stored = await readStored();
  const copies = lackingCopies(file, stored);
  if (copies.length > 0) {
    await copyAll(copies, { key, uploadId, parts, sources: await sourcesOf(actor, manifest) });
    stored = await readStored();
  }
  if (stored.length === parts.length) {
    await completeUpload(key, uploadId, stored);
    // The store says the same if another request has completed it: only a file of this size is the one that was sent.
    if ((await unsentFiles(actor, wanted)).length > 0) throw new ConflictError();
    return { stored: true, parts: [], expiresAt };
  }
  const numbers = new Set(stored.map(({ number }) => number));
  const urls = parts
    .filter(({ number }) => !numbers.has(number))
    .map((part) => ({ number: part.number, ...partUrl({ key, uploadId, part }, seconds, now) }));
  return { stored: false, parts: urls, expiresAt };
}

function lackingCopies({ copies = [] }: FileInParts, stored: readonly Part[]): Copy[] {
  const numbers = new Set(stored.map(({ number }) => number));
  return [...new Map(copies.map((copy) => [copy.number, copy])).values()].filter(({ number }) => !numbers.has(number));
}

/** Object from which parts are copied. */
interface Source {
  readonly key: string;
  readonly size: number;
}

/**
 * The files from which parts are copied: those of the live release and of this one, which the sweep does not delete and nobody has
 * withdrawn; of this one what the actor may read. If one of them is gone a moment later, the copy is whole or fails.
 */
async function sourcesOf(actor: ProjectActor, manifest: Manifest): Promise<ReadonlyMap<string, Source>> {
  const { project } = actor;
  const live = (await readLiveManifest(project)).sizes();
  const source =
    (prefix: string) =>
    ([sha256, size]: [string, number]) =>
      [sha256, { key: prefix + sha256, size }] as const;
  return new Map([
    ...[...manifest.sizes()].map(source(uploadPrefix(actor))),
    ...[...live].map(source(filesPrefix(project.slug))),
  ]);
}

interface Copying {
  readonly key: string;
  readonly uploadId: string;
  readonly parts: readonly Part[];
  readonly sources: ReadonlyMap<string, Source>;
}

/** Copies what can be copied. A part that is not gets an upload URL, whatever the reason; if it has other bytes than its SHA-256, also. */
async function copyAll(copies: readonly Copy[], { key, uploadId, parts, sources }: Copying): Promise<void> {
  await Promise.allSettled(
    copies.map(async ({ number, sha256, offset }) => {
      const [part, source] = [parts[number - 1], sources.get(sha256)];
      // S3 copies a range only of an object that is larger than the smallest part.
      if (part === undefined || source === undefined) return;
      if (source.size <= limits.bytesPerPart || offset + part.size > source.size) return;
      await copyPart({ key, uploadId, ...part }, { key: source.key, offset });
    }),
  );
}

function partsOf(
  { sha256, parts, bytesPerPart = limits.maxBytesPerPart }: FileInParts,
  size: number | undefined,
): Part[] {
  const refused = (detail: string) =>
    new ServiceError("validation_failed", { errors: [{ pointer: "/parts", detail }] });
  if (size === undefined || size <= limits.largeFileBytes)
    throw refused(`are of no file of this release above ${limits.largeFileBytes} bytes`);
  const sizes = partSizes(size, bytesPerPart);
  if (parts.length !== sizes.length || nameOfParts(parts) !== sha256) throw refused("are not those of this file");
  return parts.map((part, index) => ({ number: index + 1, size: sizes[index] ?? 0, sha256: part }));
}

function isSame(stored: Part, wanted: Part | undefined): boolean {
  return stored.sha256 === wanted?.sha256 && stored.size === wanted.size;
}

/**
 * Racing requests may begin several uploads. All go on with the oldest and end the others: only one file is counted.
 *
 * @throws ConflictError if another request has completed it by now
 */
async function onlyUpload(key: string): Promise<string> {
  let uploads = await findUploads(key);
  if (uploads.length === 0) {
    await beginUpload(key);
    uploads = await findUploads(key);
  }
  const [oldest, ...others] = uploads;
  if (oldest === undefined) throw new ConflictError();
  // What fails here the next request for the file finds again.
  await Promise.allSettled(others.map((uploadId) => abortUpload(key, uploadId)));
  return oldest;
}
