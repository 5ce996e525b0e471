import * as fs from "node:fs";
import type { Client } from "../../../contract/client.ts";
import { ContentHash } from "../../../contract/folder/content-hash.ts";
import type { KnownParts } from "../../../contract/folder/known-parts.ts";
import { nodeHashes } from "../../../contract/folder/node-hashes.ts";
import { nameOfParts } from "../../../contract/folder/parts.ts";
import { uploadParts } from "../../../publisher/upload-parts.ts";
import { UserError } from "../errors.ts";
import { fileChanged, readFailure } from "./file-failure.ts";
import type { HashedFile } from "./hash.ts";
import { type UploadWork, uploadOne } from "./upload-one.ts";
import { checkUploadUrl } from "./upload-url.ts";

/** Parts of one file that are sent at once. One connection cannot use the whole bandwidth to a distant store. */
export const partsAtOnce = 8;

interface PartsWork extends UploadWork {
  readonly client: Client;
  readonly params: { readonly slug: string; readonly id: string };
  /** Parts that the service has in other files. */
  readonly known: KnownParts;
  /** Called with how many bytes need not be sent, because the service has them. */
  onKnown(bytes: number): void;
}

/**
 * Sends the parts of a file that the service lacks, and lets it complete the file.
 *
 * @throws UserError if the file changed or the store refused a part; NetworkError if the store cannot be reached
 */
export async function uploadInParts(file: HashedFile, work: PartsWork): Promise<void> {
  const { client } = work;
  const isComplete = await uploadParts({
    ...work,
    file,
    hashes: file.parts ?? (await hashParts(file)),
    copies: work.known.get(file.sha256) ?? [],
    atOnce: partsAtOnce,
    send: async ({ number, start, size }, url) => {
      const of = async () => {
        const given = await url.of();
        return given && checkUploadUrl(given, client.api);
      };
      await uploadOne({ ...file, part: { start, size } }, number, { ...work, urls: { of, replace: url.replace } });
    },
  });
  if (isComplete) return;
  throw new UserError(`${file.path} could not be uploaded: its parts are sent, and the API does not complete it.`, {
    code: "upload_refused",
    next: "Publish again: parts that are uploaded already are not sent again.",
  });
}

/** The SHA-256 of each part of a variant. */
async function hashParts(file: HashedFile): Promise<readonly string[]> {
  const hash = new ContentHash(nodeHashes, file.size);
  try {
    for await (const chunk of fs.createReadStream(file.location, { highWaterMark: 1024 * 1024 })) hash.update(chunk);
  } catch (failure) {
    throw readFailure(failure, file);
  }
  const parts = hash.parts();
  if (nameOfParts(parts) !== file.sha256) throw fileChanged(file);
  return parts;
}
