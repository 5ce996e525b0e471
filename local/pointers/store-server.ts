import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { AmazonError, startAmazonServer } from "../amazon-server.ts";
import type { dummyCredentials } from "../credentials.ts";
import type { Part } from "../part.ts";
import type { KeyValueStore } from "./key-value-store.ts";
import { isSigned } from "./sigv4a.ts";

/*
 * CloudFront's key-value stores as far as the service uses them, by the SDK's own requests.
 */

export const localStoreArn = "arn:aws:cloudfront::000000000000:key-value-store/local";

interface StoreServerOptions {
  /** The only ones that may sign. */
  readonly credentials: typeof dummyCredentials;
  /** By their ARNs. */
  readonly stores: ReadonlyMap<string, KeyValueStore>;
  /** Error with which to fail instead of a response; for tests. */
  readonly fault?: ((operation: Operation) => AmazonError | undefined | Promise<AmazonError | undefined>) | undefined;
}

export type Operation = "DescribeKeyValueStore" | "ListKeys" | "UpdateKeys";

/** Starts the store on a free port. */
export async function startStoreServer(options: StoreServerOptions): Promise<Part> {
  return await startAmazonServer((request) => respond(request, options));
}

async function respond(request: IncomingMessage, { credentials, stores, fault }: StoreServerOptions) {
  const body = await text(request);
  const { operation, arn, query } = operationOf(request);
  const store = stores.get(arn);
  if (store === undefined) throw new AmazonError("ResourceNotFoundException", 404, "There is no such store");
  if (!(await isSigned(request, body, credentials)))
    throw new AmazonError("AccessDeniedException", 403, "The signature does not match");
  const failure = await fault?.(operation);
  if (failure) throw failure;
  if (operation === "UpdateKeys") store.update(request.headers["if-match"], JSON.parse(body));
  const { etag, itemCount, sizeBytes } = store.state;
  if (operation === "ListKeys") return { headers: {}, body: store.page(query) };
  const described = operation === "UpdateKeys" ? {} : { KvsARN: arn, Status: "READY" };
  return { headers: { etag }, body: { ...described, ItemCount: itemCount, TotalSizeInBytes: sizeBytes } };
}

const operations: Readonly<Record<string, Operation>> = {
  "GET ": "DescribeKeyValueStore",
  "GET /keys": "ListKeys",
  "POST /keys": "UpdateKeys",
};

/** @throws AmazonError for another operation */
function operationOf({ method, url = "" }: IncomingMessage) {
  const { pathname, searchParams: query } = new URL(url, "http://localhost");
  const [, arn = "", rest = ""] = /^\/key-value-stores\/([^/]+)(.*)$/.exec(pathname) ?? [];
  const operation = operations[`${method} ${rest}`];
  if (operation === undefined) throw new AmazonError("ResourceNotFoundException", 404, "There is no such operation");
  return { operation, arn: decodeURIComponent(arn), query };
}
