import type { DeletionIntent } from "../../entities/sweep-run.ts";
import type { Manifest } from "../../files/manifests.ts";
import { ServiceError } from "../service-error.ts";

/**
 * A release is not opened while a deletion intent names an object of it: the DELETE may arrive after its upload.
 *
 * @throws ServiceError `files_being_deleted`
 */
export function assertNotBeingDeleted(manifest: Manifest, deletion: DeletionIntent | undefined): void {
  if (deletion === undefined) return;
  const files = new Set([...hashesOf(deletion.files), ...proofsOf(deletion).map(({ sha256 }) => sha256)]);
  const isNamed = [...manifest.sizes().keys()].some((sha256) => files.has(sha256));
  if (isNamed || hashesOf(deletion.manifests).includes(manifest.digest)) throw new ServiceError("files_being_deleted");
}

/** The proofs that a deletion intent names. */
export function proofsOf({
  proofs = Buffer.of(),
}: DeletionIntent): { readonly opener: string; readonly sha256: string }[] {
  const hashes = hashesOf(proofs);
  return hashes.flatMap((opener, index) => (index % 2 === 0 ? [{ opener, sha256: hashes[index + 1] ?? "" }] : []));
}

const hashBytes = 32;

/** Hashes of 32 bytes each, in hexadecimal. */
export function hashesOf(bytes: Uint8Array): string[] {
  const hex = Buffer.from(bytes).toString("hex");
  return Array.from({ length: bytes.length / hashBytes }, (_, index) =>
    hex.slice(index * 2 * hashBytes, (index + 1) * 2 * hashBytes),
  );
}
