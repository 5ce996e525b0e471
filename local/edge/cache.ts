import { isNotModified } from "../../edge/content/conditional.ts";
import { requestedRange } from "../../edge/content/range.ts";
import { type Bodies, type Body, emptyBody, lengthOf, partOf } from "./bodies.ts";

/** A response in CloudFront's cache, or on its way to the viewer. */
export interface Entry {
  readonly status: number;
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Body;
}

/** A response that is kept; from `until` on it is asked for again. */
export interface CachedResponse {
  readonly entry: Entry;
  /** Seconds, as `until`. */
  readonly since: number;
  readonly until: number;
}

/** Bytes that one location keeps in memory, and in files, at most. */
const usualBytes = { memory: 64 * 1024 * 1024, files: 4 * 1024 * 1024 * 1024 };
/** Bytes that a response without a body takes, about. */
const entryBytes = 1_000;

/** The responses that an edge location keeps. What was used last goes last when there are too many. */
export class EdgeCache {
  readonly #kept = new Map<string, CachedResponse>();
  readonly #bodies: Bodies;
  readonly #bytes = { memory: 0, files: 0 };
  readonly #keptBytes: typeof usualBytes;

  constructor(bodies: Bodies, keptBytes = usualBytes) {
    this.#bodies = bodies;
    this.#keptBytes = keptBytes;
  }

  get(key: string): CachedResponse | undefined {
    const cached = this.#kept.get(key);
    if (cached === undefined) return undefined;
    this.#kept.delete(key);
    this.#kept.set(key, cached);
    return cached;
  }

  set(key: string, added: CachedResponse): void {
    const replaced = this.#kept.get(key);
    if (replaced !== undefined) this.#remove(key, replaced, replaced.entry.body === added.entry.body);
    this.#kept.set(key, added);
    this.#count(added.entry.body, 1);
    for (const [oldest, old] of this.#kept) {
      if (this.#bytes.memory <= this.#keptBytes.memory && this.#bytes.files <= this.#keptBytes.files) return;
      if (oldest !== key) this.#remove(oldest, old);
    }
  }

  /** Forgets what has a tag in this header, as an invalidation by tag does; without one, all. */
  purge(header: string, tag?: string): void {
    for (const [key, cached] of this.#kept)
      if (tag === undefined || cached.entry.headers[header]?.split(",").includes(tag)) this.#remove(key, cached);
  }

  #remove(key: string, { entry }: CachedResponse, isBodyUsed = false): void {
    this.#kept.delete(key);
    this.#count(entry.body, -1);
    if (!isBodyUsed) this.#bodies.drop(entry.body);
  }

  #count(body: Body, sign: 1 | -1): void {
    this.#bytes.memory += sign * entryBytes;
    this.#bytes[Buffer.isBuffer(body) ? "memory" : "files"] += sign * lengthOf(body);
  }
}

const aboutBytes = ["content-type", "content-encoding", "accept-ranges", "content-length"];

/** Response that a cache makes of its whole response, for a request with conditions or a range (RFC 9111, section 4.3.2). */
export function fromCache(entry: Entry, method: string, sent: Readonly<Record<string, string | undefined>>): Entry {
  const { range, "if-none-match": ifNoneMatch } = sent;
  if (range === undefined && ifNoneMatch === undefined) return entry;
  // A response that no cache may keep goes on as it is.
  if (entry.status !== 200 || entry.headers["cache-control"] === "no-store") return entry;
  const etag = entry.headers["etag"] ?? "";
  const request = { method, target: "", headers: { "if-none-match": ifNoneMatch } };
  if (etag !== "" && isNotModified(request, etag))
    return { status: 304, headers: withoutBytes(entry), body: emptyBody };
  return rangeOf(entry, method, sent);
}

/**
 * The part of a response that is asked for.
 *
 * @param part what the response has of the file, if it is not the whole
 */
export function rangeOf(
  entry: Entry,
  method: string,
  sent: Readonly<Record<string, string | undefined>>,
  { from, size }: { readonly from: number; readonly size: number } = { from: 0, size: lengthOf(entry.body) },
): Entry {
  const range = requestedRange({ method, target: "", headers: sent }, { size, etag: entry.headers["etag"] ?? "" });
  if (range === undefined) return entry;
  if (range === "unsatisfiable")
    return { status: 416, headers: { ...withoutBytes(entry), "content-range": `bytes */${size}` }, body: emptyBody };
  const { start, end } = range;
  const about = { "content-range": `bytes ${start}-${end - 1}/${size}`, "content-length": String(end - start) };
  return { status: 206, headers: { ...entry.headers, ...about }, body: partOf(entry.body, start - from, end - from) };
}

function withoutBytes({ headers }: Entry): Entry["headers"] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !aboutBytes.includes(name)));
}
