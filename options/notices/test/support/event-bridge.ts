import type { IncomingHttpHeaders } from "node:http";
import { buffer } from "node:stream/consumers";
import { startHttpServer } from "../../../../test/support/network/http-server.ts";

/** One entry of a PutEvents request, as it is sent. */
export interface SentEntry {
  readonly EventBusName: string;
  readonly Source: string;
  readonly DetailType: string;
  /** Epoch seconds. */
  readonly Time: number;
  readonly Detail: string;
}

/** One PutEvents request. */
export interface PutRequest {
  readonly headers: IncomingHttpHeaders;
  readonly entries: readonly SentEntry[];
}

/** Fault of a request: an entry that is refused by its code, or the request as a whole. */
export type BusFault =
  | { readonly kind: "refuse-entries"; readonly isRefused: (entry: SentEntry) => boolean; readonly code: string }
  | { readonly kind: "refuse"; readonly status: number; readonly error: string }
  | { readonly kind: "break" }
  /** The connection stays open without a response. */
  | { readonly kind: "silent" }
  /** The entries are taken, and the connection breaks before the response. */
  | { readonly kind: "lose-response" };

/** An endpoint that takes PutEvents as EventBridge does, over HTTP. */
export interface EventBridge {
  readonly endpoint: string;
  readonly requests: PutRequest[];
  /** The details of all entries that were taken, in the order in which they came. */
  // biome-ignore lint/suspicious/noExplicitAny: each test reads its part of what was sent
  taken(): any[];
  plan(fault: ((request: PutRequest) => BusFault | undefined) | undefined): void;
  stop(): Promise<void>;
}

export async function startEventBridge(): Promise<EventBridge> {
  const requests: PutRequest[] = [];
  const taken: SentEntry[] = [];
  let plan: ((request: PutRequest) => BusFault | undefined) | undefined;
  const server = await startHttpServer(async (incoming, response) => {
    const { Entries: entries } = JSON.parse((await buffer(incoming)).toString());
    const request = { headers: incoming.headers, entries };
    requests.push(request);
    const fault = plan?.(request);
    const send = (status: number, body: object) =>
      response.writeHead(status, { "content-type": "application/x-amz-json-1.1" }).end(JSON.stringify(body));
    if (fault?.kind === "break") return incoming.socket.destroy();
    if (fault?.kind === "silent") return undefined;
    if (fault?.kind === "refuse") return send(fault.status, { __type: fault.error, message: fault.error });
    const isRefused = (entry: SentEntry) => fault?.kind === "refuse-entries" && fault.isRefused(entry);
    const results = (entries as SentEntry[]).map((entry, index) =>
      isRefused(entry) && fault?.kind === "refuse-entries"
        ? { ErrorCode: fault.code, ErrorMessage: "refused" }
        : { EventId: `event-${requests.length}-${index}` },
    );
    taken.push(...(entries as SentEntry[]).filter((entry) => !isRefused(entry)));
    if (fault?.kind === "lose-response") return incoming.socket.destroy();
    return send(200, { Entries: results, FailedEntryCount: results.filter((each) => "ErrorCode" in each).length });
  });
  return {
    ...server,
    requests,
    taken: () => taken.map(({ Detail }) => JSON.parse(Detail)),
    plan: (next) => {
      plan = next;
    },
  };
}
