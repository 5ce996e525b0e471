import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { dummyCredentials } from "../credentials.ts";
import type { Part } from "../part.ts";
import { type KeyValueStore, StoreError } from "./key-value-store.ts";
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
  /** What to fail with instead of a response; for tests. */
  readonly fault?: ((operation: Operation) => StoreError | undefined | Promise<StoreError | undefined>) | undefined;
}

export type Operation = "DescribeKeyValueStore" | "ListKeys" | "UpdateKeys";

/** Starts the store on a free port. */
export async function startStoreServer(options: StoreServerOptions): Promise<Part> {
  const server = createServer((request, response) => {
    respond(request, options).then(
      ({ headers, body }) => send(response, 200, headers, body),
      (error: unknown) => refuse(response, error),
    );
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const stop = async () => {
    server.closeAllConnections();
    server.close();
  };
  return { endpoint: `http://localhost:${(server.address() as AddressInfo).port}`, stop };
}

async function respond(request: IncomingMessage, { credentials, stores, fault }: StoreServerOptions) {
  const body = await text(request);
  const { operation, arn, query } = operationOf(request);
  const store = stores.get(arn);
  if (store === undefined) throw new StoreError("ResourceNotFoundException", 404, "There is no such store");
  if (!(await isSigned(request, body, credentials)))
    throw new StoreError("AccessDeniedException", 403, "The signature does not match");
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

/** @throws StoreError for another operation */
function operationOf({ method, url = "" }: IncomingMessage) {
  const { pathname, searchParams: query } = new URL(url, "http://localhost");
  const [, arn = "", rest = ""] = /^\/key-value-stores\/([^/]+)(.*)$/.exec(pathname) ?? [];
  const operation = operations[`${method} ${rest}`];
  if (operation === undefined) throw new StoreError("ResourceNotFoundException", 404, "There is no such operation");
  return { operation, arn: decodeURIComponent(arn), query };
}

function refuse(response: ServerResponse, error: unknown): void {
  const { name, status, message } =
    error instanceof StoreError ? error : new StoreError("InternalServerException", 500, String(error));
  send(response, status, { "x-amzn-errortype": name }, { Message: message });
}

function send(response: ServerResponse, status: number, headers: Record<string, string>, body: object): void {
  response.writeHead(status, { ...headers, "content-type": "application/json" }).end(JSON.stringify(body));
}
