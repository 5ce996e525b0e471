import { limits } from "../contract/api/limits.ts";
import type { Content } from "../contract/api/releases/manifest-rules.ts";
import { serverNow } from "../contract/api/time/server-time.ts";
import type { Client, ResponseBody } from "../contract/client.ts";
import { partSizes } from "../contract/folder/content-hash.ts";
import { type Copy, knownBytes, requestWithCopies } from "../contract/folder/known-parts.ts";
import type { Range } from "./ports.ts";
import type { UploadUrl } from "./upload-urls.ts";

/* Large files are sent in parts: docs/decisions/0059-large-files-in-parts.md. */

type Missing = ResponseBody<"continueUpload">;

export interface PartsUpload {
  readonly client: Client;
  readonly params: { readonly slug: string; readonly id: string };
  readonly file: Content;
  /** The SHA-256 of each part. */
  readonly hashes: readonly string[];
  /** Parts that the service has in other files. They are not among what {@link onBytes} counts. */
  readonly copies: readonly Copy[];
  /** Parts that are sent at once. */
  readonly atOnce: number;
  /** Sends one part, and retries it. */
  send(part: Range, url: UploadUrl): Promise<void>;
  /** Called with how many bytes need not be sent, because the service has them, and how many of them were known. */
  onKnown(bytes: number, expected: number): void;
  onBytes(bytes: number): void;
}

const rounds = 3;

/**
 * Sends the parts of a file that the service lacks, and lets it complete the file.
 *
 * @returns whether it is complete
 * @throws what the client or {@link PartsUpload.send} throws
 */
export async function uploadParts(upload: PartsUpload): Promise<boolean> {
  const { file, copies } = upload;
  let missing = await requestWithCopies(copies, (some) => requestMissing(upload, some));
  const stored = file.size - bytesOf(file, missing);
  const expected = knownBytes(file.size, copies);
  upload.onKnown(stored, expected);
  // A known part may have other bytes after all.
  upload.onBytes(Math.max(0, stored - expected));
  for (let round = 0; round < rounds && !missing.stored; round += 1) {
    await sendMissing(upload, missing);
    missing = await requestMissing(upload);
  }
  return missing.stored;
}

async function requestMissing({ client, params, file, hashes }: PartsUpload, copies: readonly Copy[] = []) {
  return await client.call("POST /projects/:slug/releases/:id/uploads/:sha256", {
    params: { ...params, sha256: file.sha256 },
    body: {
      parts: [...hashes],
      bytes_per_part: limits.bytesPerPart,
      ...(copies.length > 0 && { copies: [...copies] }),
    },
  });
}

function bytesOf({ size }: Content, { stored, parts }: Missing): number {
  if (stored) return 0;
  const sizes = partSizes(size);
  return parts.reduce((sum, { number }) => sum + (sizes[number - 1] ?? 0), 0);
}

async function sendMissing(upload: PartsUpload, missing: Missing): Promise<void> {
  const sizes = partSizes(upload.file.size);
  const urls = urlsOf(upload, missing);
  const queue = missing.parts.map(({ number }) => number).values();
  const work = async () => {
    for (const number of queue) {
      const part = { start: (number - 1) * limits.bytesPerPart, size: sizes[number - 1] ?? 0 };
      await upload.send(part, { of: () => urls.of(number), replace: urls.replace });
    }
  };
  await Promise.all(Array.from({ length: upload.atOnce }, work));
}

/** Requests new URLs for all parts if one is refused or about to expire. */
function urlsOf(upload: PartsUpload, first: Missing) {
  let latest = Promise.resolve(first);
  const isOld = ({ expires_at }: Missing) => Date.parse(expires_at) - serverNow() < 30_000;
  const replace = () => {
    latest = requestMissing(upload);
    // `of` throws the failure.
    latest.catch(() => {});
  };
  const of = async (number: number) => {
    if (isOld(await latest)) replace();
    return (await latest).parts.find((part) => part.number === number);
  };
  return { of, replace };
}
