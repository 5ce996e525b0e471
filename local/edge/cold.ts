import { setTimeout as delay } from "node:timers/promises";
import { type Entry, rangeOf } from "./cache.ts";
import type { Headers } from "./events.ts";
import type { OriginHandler } from "./origin.ts";

/*
 * Things that CloudFront may do to players, and one warm location never does: "How CloudFront processes partial requests for an
 * object (range GETs)" and "Manage how long content stays in the cache" of its Developer Guide, and for Lambda@Edge
 * "Understanding the Lambda execution environment lifecycle" (docs/decisions/0054-the-local-service-is-the-same-edge.md).
 */

/** About a dozen small responses: it evicts what is not asked for often. A large one is alone. */
export const coldBytes = { memory: 16 * 1024, files: 1 };
const blockBytes = 64 * 1024;
const requestsOfInstance = 100;
/** From import to the first response of a bundle of this size, about (lab/bench/RESULTS.md), and the start of its environment. */
const coldMilliseconds = 300;

/** A miss brings the whole, also to a viewer that has it. */
export function unconditional({ "if-none-match": _, ...headers }: Headers): Headers {
  return headers;
}

/** A range is asked for in whole blocks. */
export function largerRange(headers: Headers): Headers {
  const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/.exec(headers["range"] ?? "") ?? [];
  if (first === "" ? Number(last) === 0 : last !== "" && Number(last) < Number(first)) return headers;
  const from = first === "" ? "" : Math.floor(Number(first) / blockBytes) * blockBytes;
  const to = last === "" ? "" : Math.ceil((Number(last) + 1) / blockBytes) * blockBytes - 1;
  return { ...headers, range: `bytes=${from}-${to}` };
}

/** The part that was asked for, of the origin's response to `largerRange`. */
export function requestedPart(entry: Entry, method: string, headers: Headers): Entry {
  const [, from, size] = /^bytes (\d+)-\d+\/(\d+)$/.exec(entry.headers["content-range"] ?? "") ?? [];
  if (entry.status !== 206 || from === undefined) return entry;
  return rangeOf(entry, method, headers, { from: Number(from), size: Number(size) });
}

/** A kept response is always almost too old, so browsers ask again. */
export function coldAge(keptSeconds: number): number {
  return Math.max(0, keptSeconds - 1);
}

/**
 * An instance of Lambda@Edge lives for some requests; the next one has nothing in memory, and begins after a time.
 *
 * @param url of the bundle
 */
export function coldHandlers(url: string): () => Promise<OriginHandler> {
  let requests = 0;
  return async () => {
    const instance = Math.floor(requests / requestsOfInstance);
    if (requests++ % requestsOfInstance === 0) await delay(coldMilliseconds);
    return (await import(`${url}?instance=${instance}`)).handler;
  };
}
