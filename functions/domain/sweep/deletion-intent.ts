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
  const files = new Set(hashesOf(deletion.files));
  const isNamed = [...manifest.sizes().keys()].some((sha256) => files.has(sha256));
  if (isNamed || hashesOf(deletion.manifests).includes(manifest.digest)) throw new ServiceError("files_being_deleted");
}

const hashBytes = 32;

/** Hashes of 32 bytes each, in hexadecimal. */
export function hashesOf(bytes: Uint8Array): string[] {
  const hex = Buffer.from(bytes).toString("hex");
  return Array.from({ length: bytes.length / hashBytes }, (_, index) =>
    hex.slice(index * 2 * hashBytes, (index + 1) * 2 * hashBytes),
  );
}
