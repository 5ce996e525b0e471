import { once } from "node:events";
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { startObjectStore } from "../../../local/store/object-store.ts";
import { startHttpServer } from "../network/http-server.ts";

/** Requests of multipart uploads: to begin, list, send, copy or list parts of, complete or abort one. */
type MultipartKind = "begin" | "uploads" | "part" | "copy" | "parts" | "complete" | "abort";

/** One request to the object store. */
export interface StoreRequest {
  readonly kind: "delete" | "get" | "list" | "put" | MultipartKind;
  /** `/bucket/key`; of a list, `/bucket/` and its prefix. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Whether the response was sent; on a busy machine the client may stop waiting before, and retry. */
  hasResponse: boolean;
}

/**
 * Fault that is sent instead of the store's response: a status; "break" closes the connection before the store gets the
 * request, "lose-response" when the store has done its work; undefined: the store's response.
 */
export type StoreFault = number | "break" | "lose-response" | undefined;

/** Decides about each request; a promise makes the request wait. */
export type StorePlan = (request: StoreRequest) => StoreFault | Promise<StoreFault>;

/** What checks copies in the same process gets no request, so that nobody takes what it reads and writes for a route's. */
export const withoutChecks: StorePlan = ({ kind, path }) =>
  kind === "get" && path.includes("/checks/") ? 403 : undefined;

/** An object store behind a proxy that records every request and can make it fail. */
export interface RecordedStore {
  readonly endpoint: string;
  readonly bucketName: string;
  /** Lets the plan decide from now on; undefined: no plan. */
  plan(plan: StorePlan | undefined): void;
  /** Runs something and returns the requests that were made meanwhile. */
  during(action: () => Promise<unknown>): Promise<StoreRequest[]>;
  stop(): Promise<void>;
}

/** @param dataFolder and options: see {@link startObjectStore} */
export async function startRecordedStore(
  dataFolder?: string,
  options: { readonly skewMilliseconds?: number } = {},
): Promise<RecordedStore> {
  const bucketName = "svc-local";
  const store = await startObjectStore(bucketName, dataFolder, { ports: [], ...options });
  const requests: StoreRequest[] = [];
  let plan: StorePlan | undefined;
  const server = await startHttpServer((request, response) => {
    const recorded = storeRequestOf(request);
    // The local service, which this store tells nothing, looks there for requests to check copies.
    if (recorded.kind === "list" && recorded.path === `/${bucketName}/checks/`)
      return void respond({ store: store.endpoint, request, response, fault: undefined }).catch(() =>
        response.destroy(),
      );
    requests.push(recorded);
    response.on("finish", () => {
      recorded.hasResponse = true;
    });
    respond({ store: store.endpoint, request, response, fault: plan?.(recorded) }).catch(() => response.destroy());
  });
  return {
    endpoint: server.endpoint,
    bucketName,
    plan: (next) => {
      plan = next;
    },
    during: async (action) => {
      const before = requests.length;
      await action();
      return requests.slice(before);
    },
    stop: async () => {
      await server.stop();
      await store.stop();
    },
  };
}

const kinds: Readonly<Record<string, StoreRequest["kind"]>> = { DELETE: "delete", GET: "get", HEAD: "get", PUT: "put" };

const kindsOfUploads: typeof kinds = { GET: "uploads", POST: "begin" };
const kindsOfUpload: typeof kinds = { DELETE: "abort", GET: "parts", POST: "complete", PUT: "part" };

function kindOf(method: string, query: URLSearchParams): StoreRequest["kind"] | undefined {
  if (query.has("list-type")) return "list";
  return (query.has("uploadId") ? kindsOfUpload : query.has("uploads") ? kindsOfUploads : kinds)[method];
}

function storeRequestOf({ method, url = "", headers }: IncomingMessage): StoreRequest {
  const { pathname, searchParams } = new URL(url, "http://store");
  const isCopy = "x-amz-copy-source" in headers;
  const kind = isCopy ? "copy" : kindOf(method ?? "", searchParams);
  if (kind === undefined) throw new Error(`The store gets no ${method} requests`);
  return {
    kind,
    path: kind === "list" || kind === "uploads" ? `${pathname}/${searchParams.get("prefix") ?? ""}` : pathname,
    headers,
    hasResponse: false,
  };
}

/** The Host header stays as it was, for the signature covers it. */
async function respond(exchange: {
  store: string;
  request: IncomingMessage;
  response: ServerResponse;
  fault: StoreFault | Promise<StoreFault>;
}): Promise<void> {
  const { store, request, response } = exchange;
  const [body, fault] = await Promise.all([buffer(request), exchange.fault]);
  if (fault === "break") {
    response.destroy();
    return;
  }
  if (typeof fault === "number") {
    response.writeHead(fault).end("<Error><Code>SlowDown</Code></Error>");
    return;
  }
  const forwarded = httpRequest(store + request.url, { method: request.method ?? "GET", headers: request.headers });
  forwarded.end(body);
  const [incoming] = (await once(forwarded, "response")) as [IncomingMessage];
  const bytes = await buffer(incoming);
  if (fault === "lose-response") response.destroy();
  else response.writeHead(incoming.statusCode ?? 500, incoming.headers).end(bytes);
}
