import { hash } from "node:crypto";
import { limits } from "../../../contract/api/limits.ts";
import { CutPack, objectsIn, type PackedObject } from "../../../contract/folder/packs.ts";
import { writeFindings } from "../../files/copy-requests.ts";
import { deleteObjects } from "../../files/deletions.ts";
import { StoreRefusal } from "../../files/http-client.ts";
import { type CopyClaim, type Manifest, readManifest } from "../../files/manifests.ts";
import { packKey } from "../../files/object-keys.ts";
import { readObject, type Upload, uploadUrl, writeObject } from "../../files/store.ts";
import { unpackSmallBrotli } from "../../files/unpacking.ts";
import { assertStillActive, type ProjectActor } from "../authentication.ts";
import { ServiceError } from "../service-error.ts";
import { openerOf } from "./openers.ts";
import { unsentFiles, uploadPrefix } from "./proofs.ts";
import { assertNotWithdrawn, findVisible } from "./releases.ts";
import { urlValidity } from "./uploads.ts";

/*
 * Small files travel together: docs/decisions/0079-packs.md.
 */

/** A pack of small files of a release, as its publisher sends it. */
interface SentPack {
  readonly releaseId: string;
  readonly slot: number;
  readonly size: number;
  readonly sha256: string;
}

/** What is left to do for a pack. */
export interface PackUpload {
  readonly isUnpacked: boolean;
  /** Where it goes; undefined if it is unpacked. */
  readonly upload: Upload | undefined;
  readonly expiresAt: string;
}

/**
 * Unpacks a pack that is stored, or signs its upload URL. Everything in it is checked before anything is written; what is written stays, so
 * that a request that was stopped is sent again and goes on. Another pack in its slot, which nobody has unpacked, makes room for it.
 *
 * @throws ServiceError `release_not_found`; `release_withdrawn`; `token_revoked`, `token_expired`; `pack_refused`, naming the file: the pack
 *   is deleted then
 */
export async function unpackFiles(
  actor: ProjectActor,
  { releaseId, slot, size, sha256 }: SentPack,
  now: Date,
): Promise<PackUpload> {
  const { slug } = actor.project;
  const release = await findVisible(actor, releaseId, now);
  assertNotWithdrawn(release);
  const key = packKey(slug, { release: releaseId, opener: openerOf(actor), slot });
  const [manifest, pack] = await Promise.all([readManifest(slug, release.manifest), findPack(key)]);
  await assertStillActive(actor, now);
  const { seconds, expiresAt } = urlValidity(release, now);
  if (pack === undefined || hash("sha256", pack) !== sha256) {
    if (pack !== undefined) await deletePack(key);
    return { isUnpacked: false, upload: uploadUrl({ key, size, sha256 }, seconds, now), expiresAt };
  }
  const { objects, proven, problem } = contentOf(pack, manifest);
  if (problem !== undefined) {
    await deletePack(key);
    throw refused(problem);
  }
  // True whatever becomes of the objects, and known before these arrive: nobody unpacks the copies again.
  if (proven.length > 0) await writeFindings({ slug, digest: release.manifest, name: sha256 }, proven.map(found));
  await writeMissing(actor, objects);
  await deletePack(key);
  return { isUnpacked: true, upload: undefined, expiresAt };
}

function found(index: number) {
  return { index, verdict: "true" } as const;
}

/** S3 says 403 of a missing object to a role that may not list these. */
async function findPack(key: string): Promise<Buffer | undefined> {
  try {
    return await readObject(key);
  } catch (error) {
    if (error instanceof StoreRefusal && [403, 404].includes(error.status)) return undefined;
    throw error;
  }
}

const deletionMilliseconds = 30_000;

/** One that could not be deleted is in the way of nobody: it is deleted when its slot is used again, with its draft, or after a day. */
async function deletePack(key: string): Promise<void> {
  await deleteObjects([key], new Date(), deletionMilliseconds);
}

/** Content of a pack; nothing of it is written if it has a problem. */
interface PackContent {
  /** What is to be stored, by its SHA-256. */
  readonly objects: ReadonlyMap<string, Uint8Array>;
  /** Places among {@link Manifest.copies} of the copies of which a file was made. */
  readonly proven: readonly number[];
  readonly problem?: string;
}

function contentOf(pack: Buffer, manifest: Manifest): PackContent {
  const [packed, made, proven] = [new Map<string, Uint8Array>(), new Map<string, Uint8Array>(), [] as number[]];
  const files = manifest.list();
  const sizes = manifest.sizes(files);
  const claims = manifest.copies(files).map((claim, index) => ({ ...claim, index }));
  const claimsByCopy = Map.groupBy(claims.filter(isSmallVariant), ({ copy }) => copy.sha256);
  const problemOf = ({ sha256, bytes }: PackedObject): string | undefined => {
    const size = sizes.get(sha256);
    if (size === undefined) return `It has ${sha256}, which is nothing of this release.`;
    if (packed.has(sha256)) return `It has ${nameIn(manifest, sha256)} twice.`;
    if (packed.size >= limits.objectsPerPack) return `It has more than ${limits.objectsPerPack} files.`;
    if (size > limits.packedFileBytes) return `${nameIn(manifest, sha256)} is too large for a pack.`;
    if (bytes.length !== size || hash("sha256", bytes) !== sha256)
      return `${nameIn(manifest, sha256)} has other bytes in it than in the release.`;
    packed.set(sha256, bytes);
    for (const { file, index } of claimsByCopy.get(sha256) ?? []) {
      const unpacked = unpackSmallBrotli(bytes, file);
      if (unpacked === undefined || hash("sha256", unpacked) !== file.sha256)
        return `The Brotli copy of ${file.path} does not unpack to it.`;
      made.set(file.sha256, unpacked);
      proven.push(index);
    }
    return undefined;
  };
  try {
    for (const object of objectsIn(pack)) {
      const problem = problemOf(object);
      if (problem !== undefined) return { objects: new Map(), proven: [], problem };
    }
  } catch (error) {
    if (!(error instanceof CutPack)) throw error;
    const last = [...packed.keys()].at(-1);
    const problem = `It is cut${last === undefined ? "" : ` behind ${nameIn(manifest, last)}`}.`;
    return { objects: new Map(), proven: [], problem };
  }
  return { objects: new Map([...made, ...packed]), proven };
}

/** A Brotli copy of a small file. */
function isSmallVariant({ file, copy }: CopyClaim): boolean {
  return copy.dictionary === undefined && file.size <= limits.packedFileBytes;
}

/** What a person calls an object of a release. */
function nameIn(manifest: Manifest, sha256: string): string {
  for (const [path, file] of manifest.files()) {
    if (file.sha256 === sha256) return path;
    if (file.br?.sha256 === sha256) return `The Brotli copy of ${path}`;
  }
  return sha256;
}

function refused(problem: string): ServiceError {
  return new ServiceError("pack_refused", {
    detail: `${problem} Nothing of the pack was written. Send its files one by one.`,
  });
}

/** Objects that are written at once: more take no less time. */
const atOnce = 64;

async function writeMissing(actor: ProjectActor, objects: PackContent["objects"]): Promise<void> {
  const sizes = new Map([...objects].map(([sha256, { length }]) => [sha256, length]));
  const prefix = uploadPrefix(actor);
  const missing = new Set((await unsentFiles(actor, sizes)).map(({ sha256 }) => sha256));
  const queue = [...objects].filter(([sha256]) => missing.has(sha256)).values();
  const work = async () => {
    for (const [sha256, bytes] of queue) await writeObject(prefix + sha256, Buffer.from(bytes));
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}
