import type { Client, ResponseBody } from "../../../contract/client.ts";
import type { Release } from "../resources.ts";
import type { DownloadedFile, ZippedRelease } from "./protocol.ts";
import type { Reader } from "./reader.ts";

/** A URL is valid for 15 minutes: after five the page of the list that has it is read again. */
const freshMilliseconds = 300_000;
/** Of what the worker packs at a time, with one URL for each. */
const sliceFiles = 25;
const sliceBytes = 64 * 1024 * 1024;

interface Packing {
  readonly client: Client;
  readonly reader: Pick<Reader, "pack" | "zip">;
  readonly slug: string;
  readonly release: Pick<Release, "id" | "bytes">;
  /** Bytes so far. */
  onBytes(bytes: number): void;
}

/**
 * A zip with all files of a release.
 *
 * @throws ApiError, Refusal if the store gives other bytes or none, DOMException `AbortError` once the reader is closed
 */
export async function packRelease({ client, reader, slug, release, onBytes }: Packing): Promise<ZippedRelease> {
  let done = 0;
  let cursor: string | undefined;
  const read = async () => ({ page: await filesPage(client, slug, release.id, cursor), at: performance.now() });
  do {
    let { page, at } = await read();
    for (const slice of slicesOf(page.files)) {
      if (performance.now() - at > freshMilliseconds) ({ page, at } = await read());
      const urls = new Map(page.files.map(({ path, url }) => [path, url]));
      const files = slice.map(({ path, size, sha256 }) => ({ path, size, sha256, url: urls.get(path) ?? "" }));
      await reader.pack(files, release.bytes, (bytes) => onBytes(done + bytes));
      done += files.reduce((sum, { size }) => sum + size, 0);
    }
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return await reader.zip();
}

async function filesPage(client: Client, slug: string, id: string, cursor: string | undefined) {
  return await client.call("GET /projects/:slug/releases/:id/files", { params: { slug, id }, query: { cursor } });
}

function slicesOf(files: ResponseBody<"listFiles">["files"]): Omit<DownloadedFile, "url">[][] {
  const slices: Omit<DownloadedFile, "url">[][] = [];
  let bytes = 0;
  for (const file of files) {
    const last = slices.at(-1);
    if (last === undefined || last.length >= sliceFiles || bytes >= sliceBytes) {
      slices.push([file]);
      bytes = file.size;
    } else {
      last.push(file);
      bytes += file.size;
    }
  }
  return slices;
}
