import type * as http from "node:http";
import { olderFileHeader } from "../../../contract/api/headers.ts";
import type { ResponseTo } from "../client.ts";
import { connectionsTo } from "../http/agent.ts";
import { nameOf } from "./hash.ts";
import { checkUploadUrl } from "./upload-url.ts";

/** A file of an earlier release, and where its bytes are. */
export type OlderFile = NonNullable<ResponseTo<"createRelease">["older_files"]>[number];

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
  return bytes !== undefined && nameOf(bytes) === file.sha256 ? bytes : undefined;
}

async function get({ url: given, size }: OlderFile, { api, signal, timeoutMilliseconds }: OlderFileOptions) {
  const { url } = checkUploadUrl({ url: given, headers: {} }, api);
  const { agent, request } = await connectionsTo(url, { keepAlive: false });
  const options: http.RequestOptions = {
    headers: { [olderFileHeader]: "1" },
    timeout: timeoutMilliseconds,
    agent,
    signal: AbortSignal.any([signal, AbortSignal.timeout(longestMilliseconds)]),
  };
  return await new Promise<Buffer>((resolve, reject) => {
    const outgoing = request(url, options, (incoming) => {
      if (incoming.statusCode !== 200) {
        outgoing.destroy(new Error(`Status ${incoming.statusCode}`));
        return;
      }
      const chunks: Buffer[] = [];
      let length = 0;
      incoming.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        length += chunk.length;
        if (length > size) outgoing.destroy(new Error("Too long"));
      });
      incoming.on("end", () => resolve(Buffer.concat(chunks)));
      incoming.on("error", reject);
    });
    outgoing.on("timeout", () => outgoing.destroy(new Error("No response")));
    outgoing.on("error", reject);
    outgoing.end();
  });
}
