import type { IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import type { Part } from "../../local/part.ts";
import { startHttpServer } from "../../test/support/http-server.ts";

export interface SlowStore extends Part {
  /** The time from the first upload request to the last response, since the last call. */
  takeUploadSeconds(): number;
}

/**
 * A store with latency: PUT, GET and ListObjectsV2 of objects in memory, with a response this many milliseconds after each
 * request. It checks nothing and takes almost no processor time, so that only the client's use of the latency is measured.
 */
export async function startSlowStore(milliseconds: number): Promise<SlowStore> {
  const objects = new Map<string, Buffer>();
  let uploading: { from: number; to: number } | undefined;
  const server = await startHttpServer(async (request, response) => {
    const isUpload = request.method === "PUT" && request.url?.includes("/files/");
    if (isUpload) uploading ??= { from: performance.now(), to: 0 };
    const [body] = await Promise.all([buffer(request), delay(milliseconds)]);
    const content = responseTo(request, body, objects);
    response.writeHead(content === undefined ? 404 : 200, { etag: '"0"' }).end(content);
    if (isUpload && uploading) uploading.to = performance.now();
  });
  return {
    ...server,
    takeUploadSeconds: () => {
      const { from, to } = uploading ?? { from: 0, to: 0 };
      uploading = undefined;
      return (to - from) / 1_000;
    },
  };
}

function responseTo({ method, url = "" }: IncomingMessage, body: Buffer, objects: Map<string, Buffer>) {
  const { pathname, searchParams } = new URL(url, "http://store");
  const key = pathname.split("/").slice(2).join("/");
  if (method === "PUT") objects.set(key, body);
  if (method === "PUT") return "";
  return searchParams.has("list-type") ? listed(searchParams, objects) : objects.get(key);
}

function listed(query: URLSearchParams, objects: ReadonlyMap<string, Buffer>): string {
  const prefix = query.get("prefix") ?? "";
  const after = query.get("continuation-token") ?? query.get("start-after") ?? "";
  const wanted = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
  const page = wanted.slice(0, Number(query.get("max-keys") ?? 1_000));
  const isTruncated = page.length < wanted.length;
  const contents = page.map(
    (key) =>
      `<Contents><Key>${key}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified><Size>${objects.get(key)?.byteLength}</Size></Contents>`,
  );
  const next = isTruncated ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : "";
  return `<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><IsTruncated>${isTruncated}</IsTruncated>${next}${contents.join("")}</ListBucketResult>`;
}
