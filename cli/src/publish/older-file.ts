import { olderFileHeader } from "../../../contract/api/headers.ts";
import { nameOfContent } from "../../../contract/folder/content-hash.ts";
import { nodeHashes } from "../../../contract/folder/node-hashes.ts";
import type { OlderFile } from "../../../publisher/deltas.ts";
import { sendWithRetries } from "../http/send.ts";
import { checkUploadUrl } from "./upload-url.ts";

export interface OlderFileOptions {
  readonly api: URL;
  readonly signal: AbortSignal;
  readonly timeoutMilliseconds: number;
}

/** Over a slower connection the publication does not wait for it: players then load the new file whole. */
const longestMilliseconds = 120_000;

/**
 * Loads a file of an earlier release from the store.
 *
 * @returns undefined if it cannot be had
 */
export async function downloadOlderFile(file: OlderFile, options: OlderFileOptions): Promise<Buffer | undefined> {
  const bytes = await get(file, options).catch(() => undefined);
  options.signal.throwIfAborted();
  return bytes !== undefined && nameOfContent(bytes, nodeHashes) === file.sha256 ? bytes : undefined;
}

async function get({ url: given, size }: OlderFile, { api, signal, timeoutMilliseconds }: OlderFileOptions) {
  const { url } = checkUploadUrl({ url: given, headers: {} }, api);
  const { status, bytes } = await sendWithRetries({
    method: "GET",
    url,
    headers: { [olderFileHeader]: "1" },
    timeoutMilliseconds,
    longestBytes: size,
    signal: AbortSignal.any([signal, AbortSignal.timeout(longestMilliseconds)]),
  });
  return status === 200 ? bytes : undefined;
}
