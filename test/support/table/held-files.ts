import { link, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ManifestFile } from "../../../contract/api/releases/manifest-rules.ts";
import { fileKey, filesPrefix } from "../../../functions/files/object-keys.ts";
import { sha256 } from "../service/steps.ts";

/** Files of one byte each, for manifests of any length; nobody has bytes of these hashes. */
export function entries(count: number, name = "file"): ManifestFile[] {
  return Array.from({ length: count }, (_, index) => ({
    path: `assets/level-${index % 97}/${name}-${index}.png`,
    size: 1,
    sha256: sha256(`${name} ${index}`),
  }));
}

/**
 * Puts files of one byte each where the object store keeps them: uploading 20,000 takes long. A store that has listed the
 * project sees them once something is uploaded to it.
 *
 * @param store with the data folder that it was started with
 */
export async function holdFiles(
  store: { readonly dataFolder: string; readonly bucketName: string },
  slug: string,
  files: readonly Pick<ManifestFile, "sha256">[],
): Promise<void> {
  const bucket = join(store.dataFolder, "objects", store.bucketName);
  const object = join(store.dataFolder, `${slug}-object`);
  await mkdir(join(bucket, filesPrefix(slug)), { recursive: true });
  await writeFile(object, "x");
  for (let start = 0; start < files.length; start += 500) {
    const some = files.slice(start, start + 500);
    await Promise.all(some.map((file) => link(object, join(bucket, `${fileKey(slug, file.sha256)}._S3rver_object`))));
  }
}
