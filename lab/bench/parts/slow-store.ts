import { hash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { presignedUrl, type SignedRequest } from "../../../functions/files/presigned-url.ts";
import { dummyCredentials } from "../../../local/credentials.ts";
import type { Part } from "../../../local/part.ts";
import { startHttpServer } from "../../../test/support/network/http-server.ts";

export interface SlowStore extends Part {
  /** The requests that it got since the last call. */
  take(): StoreWaits;
}

interface StoreWaits {
  /** The time from the first upload request to the last response. */
  readonly uploadSeconds: number;
  /** How often the API waited for the store before the first upload and after the last: requests at one time are one. */
  readonly waits: number;
}

interface Exchange {
  readonly isUpload: boolean;
  readonly from: number;
  readonly to: number;
}

type Objects = Map<string, Buffer>;

interface StoreResponse {
  readonly status: number;
  readonly content?: Buffer | string;
}

/**
 * A store with latency: PUT, GET and ListObjectsV2 of objects in memory, with a response this many milliseconds after each
 * request. It checks what the service requires of a store (`local/store/store-check.ts`): signatures, SHA-256 and If-None-Match. That
 * takes little processor time, so that only the client's use of the latency is measured.
 */
export async function startSlowStore(milliseconds: number): Promise<SlowStore> {
  const objects: Objects = new Map();
  let exchanges: Exchange[] = [];
  const server = await startHttpServer(async (request, response) => {
    const isUpload = request.method === "PUT" && request.url?.includes("/files/") === true;
    const from = performance.now();
    const [body] = await Promise.all([buffer(request), delay(milliseconds)]);
    const { status, content } = responseTo(request, body, objects);
    response.writeHead(status, { etag: '"0"' }).end(content);
    exchanges.push({ isUpload, from, to: performance.now() });
  });
  return {
    ...server,
    take: () => {
      const asked = askedIn(exchanges);
      exchanges = [];
      return asked;
    },
  };
}

function askedIn(exchanges: readonly Exchange[]): StoreWaits {
  const uploads = exchanges.filter(({ isUpload }) => isUpload);
  const [first, last] = [Math.min(...uploads.map(({ from }) => from)), Math.max(...uploads.map(({ to }) => to))];
  const others = exchanges.filter(({ isUpload, from, to }) => !isUpload && (to <= first || from >= last));
  let [waits, waitedUntil] = [0, Number.NEGATIVE_INFINITY];
  for (const { from, to } of others.toSorted((a, b) => a.from - b.from)) {
    if (from >= waitedUntil) waits += 1;
    waitedUntil = Math.max(waitedUntil, to);
  }
  return { uploadSeconds: (last - first) / 1_000, waits };
}

function responseTo(request: IncomingMessage, body: Buffer, objects: Objects): StoreResponse {
  const url = new URL(request.url ?? "", `http://${request.headers.host}`);
  if (!isSigned(request, url)) return { status: 403 };
  const key = url.pathname.split("/").slice(2).join("/");
  if (request.method === "PUT") return { status: put(request, key, body, objects) };
  const content = url.searchParams.has("list-type") ? listed(url.searchParams, objects) : objects.get(key);
  return content === undefined ? { status: 404 } : { status: 200, content };
}

/** Whether the signature in the URL is the one that the service's credentials give for this request. */
function isSigned({ method, headers }: IncomingMessage, { origin, pathname, searchParams }: URL): boolean {
  const parameter = (name: string) => searchParams.get(`X-Amz-${name}`) ?? "";
  const names = parameter("SignedHeaders").split(";");
  const signed = {
    method: method as SignedRequest["method"],
    origin,
    path: pathname,
    query: Object.fromEntries([...searchParams].filter(([name]) => !name.startsWith("X-Amz-"))),
    headers: Object.fromEntries(names.filter((name) => name !== "host").map((name) => [name, String(headers[name])])),
    expiresInSeconds: Number(parameter("Expires")),
  };
  const [, , region = ""] = parameter("Credential").split("/");
  const time = parameter("Date").replace(/(....)(..)(..T..)(..)(..Z)/, "$1-$2-$3:$4:$5");
  const expected = presignedUrl(signed, { ...dummyCredentials, region }, new Date(time));
  return new URL(expected).searchParams.get("X-Amz-Signature") === parameter("Signature");
}

function put({ headers }: IncomingMessage, key: string, body: Buffer, objects: Objects): number {
  if (headers["x-amz-checksum-sha256"] !== hash("sha256", body, "base64")) return 400;
  if (objects.has(key)) return 412;
  objects.set(key, body);
  return 200;
}

function listed(query: URLSearchParams, objects: Objects): string {
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
