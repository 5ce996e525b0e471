import * as fs from "node:fs";
import { limits } from "../../../contract/api/limits.ts";
import { serverNow } from "../../../contract/api/server-time.ts";
import type { Client, ResponseBody } from "../../../contract/client.ts";
import { ContentHash, partSizes } from "../../../contract/folder/content-hash.ts";
import { type Copy, type KnownParts, knownBytes, requestWithCopies } from "../../../contract/folder/known-parts.ts";
import { nodeHashes } from "../../../contract/folder/node-hashes.ts";
import { nameOfParts } from "../../../contract/folder/parts.ts";
import { UserError } from "../errors.ts";
import { fileChanged, readFailure } from "./file-failure.ts";
import type { HashedFile } from "./hash.ts";
import { type UploadUrls, type UploadWork, uploadOne } from "./upload-one.ts";
import { checkUploadUrl } from "./upload-url.ts";

/** Parts of one file that are sent at once. One connection cannot use the whole bandwidth to a distant store. */
export const partsAtOnce = 8;
const rounds = 3;

interface PartsWork extends UploadWork {
  readonly client: Client;
  readonly params: { readonly slug: string; readonly id: string };
  /** Parts that the service has in other files. */
  readonly known: KnownParts;
  /** Called with how many bytes need not be sent, because the service has them. */
  onKnown(bytes: number): void;
}

type Missing = ResponseBody<"continueUpload">;

/**
 * Sends the parts of a file that the service lacks, and lets it complete the file.
 *
 * @throws UserError if the file changed or the store refused a part; NetworkError if the store cannot be reached
 */
export async function uploadInParts(file: HashedFile, work: PartsWork): Promise<void> {
  const { client, params, onBytes, onKnown } = work;
  const parts = file.parts ?? (await hashParts(file));
  const request = (copies: readonly Copy[] = []) =>
    client.call("POST /projects/:slug/releases/:id/uploads/:sha256", {
      params: { ...params, sha256: file.sha256 },
      body: {
        parts: [...parts],
        bytes_per_part: limits.bytesPerPart,
        ...(copies.length > 0 && { copies: [...copies] }),
      },
    });
  const copies = work.known.get(file.sha256) ?? [];
  let missing = await requestWithCopies(copies, request);
  const stored = file.size - bytesOf(file, missing);
  onKnown(stored);
  // Known parts are not among what the progress counts, also if one has other bytes after all.
  onBytes(Math.max(0, stored - knownBytes(file.size, copies)));
  for (let round = 0; round < rounds; round += 1) {
    if (missing.stored) return;
    await uploadMissing(file, missing, { ...work, request });
    missing = await request();
  }
  if (missing.stored) return;
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

function bytesOf({ size }: HashedFile, { stored, parts }: Missing): number {
  if (stored) return 0;
  const sizes = partSizes(size);
  return parts.reduce((sum, { number }) => sum + (sizes[number - 1] ?? 0), 0);
}

async function uploadMissing(
  file: HashedFile,
  missing: Missing,
  work: PartsWork & { request(): Promise<Missing> },
): Promise<void> {
  const sizes = partSizes(file.size);
  const urls = urlsOf(missing, work);
  const queue = missing.parts.map(({ number }) => number).values();
  const send = async () => {
    for (const number of queue) {
      const part = { start: (number - 1) * limits.bytesPerPart, size: sizes[number - 1] ?? 0 };
      await uploadOne({ ...file, part }, number, { ...work, urls });
    }
  };
  await Promise.all(Array.from({ length: partsAtOnce }, send));
}

/** Requests new URLs for all parts if one is refused or about to expire. */
function urlsOf(first: Missing, { client, request }: PartsWork & { request(): Promise<Missing> }): UploadUrls {
  let latest = Promise.resolve(first);
  const isOld = ({ expires_at }: Missing) => Date.parse(expires_at) - serverNow() < 30_000;
  return {
    async of(number) {
      if (isOld(await latest)) latest = request();
      const found = (await latest).parts.find((part) => part.number === number);
      // A part that is no longer missing was stored, and only the store's response to it was lost.
      return found && checkUploadUrl(found, client.api);
    },
    replace: () => {
      latest = request();
      latest.catch(() => {});
    },
  };
}
