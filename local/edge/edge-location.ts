import { tagHeader } from "../../edge/cache/cache-key.ts";
import { type Body, emptyBody, lengthOf, wholeOf } from "./bodies.ts";
import { type CachedResponse, EdgeCache, type Entry, fromCache } from "./cache.ts";
import { coldAge, coldBytes, largerRange, requestedPart, unconditional } from "./cold.ts";
import { assertAllowed, FunctionFailure, type Headers, headersOf, type ViewerResult, viewerFields } from "./events.ts";
import { errorSeconds, keptSeconds, type Lifetimes } from "./lifetimes.ts";
import { Origin, type OriginOptions } from "./origin.ts";
import { type Store, viewerRuntime } from "./viewer-runtime.ts";

/** Parts of the games' edge that a distribution has. */
export interface Distribution extends OriginOptions {
  /** The code at the viewer's request of each behavior; the first one whose prefix the path has runs. */
  readonly viewerRequests: readonly { readonly pathPrefix: string; readonly code: string }[];
  /** The code at the viewer's response of all behaviors. */
  readonly viewerResponse: string;
  readonly lifetimes: Lifetimes;
  /** Its response headers policy. */
  readonly responseHeaders: { readonly added: Headers; readonly removed: readonly string[] };
  /** Whether its locations do to players what CloudFront's documents allow (cold.ts). */
  readonly isCold: boolean;
}

/** A viewer's request. */
export interface ViewerRequest {
  readonly method: string;
  /** Path and query as they were sent. */
  readonly target: string;
  /** By their names in lower case. */
  readonly headers: Headers;
}

/** Response that the viewer gets. */
export interface EdgeResult {
  readonly status: number;
  /** With Content-Length if it is known. */
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: Body;
  /** Source of the response, as `x-cache` names it. */
  readonly from: "Hit" | "Miss" | "FunctionGeneratedResponse" | "Error";
  /** Text that the function at the viewer's request has logged. */
  readonly logged?: string;
}

/**
 * One edge location of CloudFront, as far as its documentation says how it works: it runs the bundles that are deployed, by the
 * documented events, before a bucket. What it keeps, and for how long, is what the stage's template says
 * (docs/decisions/0054-the-local-service-is-the-same-edge.md).
 */
export class EdgeLocation {
  readonly #lifetimes: Lifetimes;
  readonly #responseHeaders: Distribution["responseHeaders"];
  readonly #requests: readonly { readonly pathPrefix: string; readonly run: ReturnType<typeof viewerRuntime> }[];
  readonly #response: ReturnType<typeof viewerRuntime>;
  readonly #now: () => number;
  readonly #cache: EdgeCache;
  readonly #coming = new Map<string, Promise<Entry>>();
  readonly #origin: Origin;
  readonly #isCold: boolean;
  #invalidations = 0;

  /** @param now seconds, of any beginning */
  constructor(distribution: Distribution, store: Store, now = () => Date.now() / 1_000) {
    this.#lifetimes = distribution.lifetimes;
    this.#responseHeaders = distribution.responseHeaders;
    this.#requests = distribution.viewerRequests.map(({ pathPrefix, code }) => ({
      pathPrefix,
      run: viewerRuntime(code, store),
    }));
    this.#response = viewerRuntime(distribution.viewerResponse, store);
    this.#now = now;
    this.#origin = new Origin(distribution);
    this.#isCold = distribution.isCold;
    this.#cache = new EdgeCache(this.#origin.bodies, this.#isCold ? coldBytes : undefined);
  }

  get counts(): Readonly<Origin["counts"]> {
    return this.#origin.counts;
  }

  /** An invalidation by a tag; without one, of everything. */
  purge(tag?: string): void {
    this.#invalidations += 1;
    this.#coming.clear();
    this.#cache.purge(tagHeader, tag);
  }

  async stop(): Promise<void> {
    await this.#origin.bodies.stop();
  }

  async respond(request: ViewerRequest): Promise<EdgeResult> {
    let logged: string | undefined;
    const log = (text: string) => {
      logged = text;
    };
    const result = await this.#respond(request, log);
    return logged === undefined ? result : { ...result, logged };
  }

  async #respond(request: ViewerRequest, log: (text: string) => void): Promise<EdgeResult> {
    try {
      return await this.#play(request, log);
    } catch (error) {
      if (!(error instanceof FunctionFailure)) throw error;
      console.error(error);
      return { status: error.status, headers: { "content-length": "0" }, body: emptyBody, from: "Error" };
    }
  }

  async #play({ method, target, headers }: ViewerRequest, log: (text: string) => void): Promise<EdgeResult> {
    const end = target.indexOf("?");
    const uri = end === -1 ? target : target.slice(0, end);
    const query = end === -1 ? undefined : target.slice(end + 1);
    const behavior = this.#requests.find(({ pathPrefix }) => uri.startsWith(pathPrefix));
    if (behavior === undefined) throw new Error("The distribution has no default behavior");
    const made = await run(behavior.run, { request: eventRequest(method, uri, headers), query }, log);
    if ("statusCode" in made) return generated(made);
    const asked = headersOf(made).headers;
    assertAllowed("viewerRequest", headers, asked);
    const { entry, isHit } = await this.#entry(made.method, made.uri, asked);
    const compared = this.#isCold && !isHit ? unconditional(asked) : asked;
    const response = this.#withPolicy(fromCache(entry, method, compared));
    const from = isHit ? "Hit" : "Miss";
    // No function runs for the viewer's response if the origin returned an error. Of a 416 that the cache makes of a file nobody says it.
    const isError = response.status >= 400;
    if (entry.status >= 400 || (isError && this.#isCold)) return { ...withLength(response), from: "Error" };
    const fields = viewerFields(response.headers).headers;
    const changed = headersOf(
      await run(this.#response, {
        request: eventRequest(method, uri, headers),
        query,
        response: { statusCode: response.status, headers: fields, cookies: {} },
      }),
    );
    assertAllowed("viewerResponse", response.headers, changed.headers);
    const sent = withLength({ ...response, headers: changed.headers }, changed.setCookie);
    return { ...sent, from: isError ? "Error" : from };
  }

  /** The response headers policy comes after the cache, and before the function. It is not for what a function generates. */
  #withPolicy({ headers, ...response }: Entry): Entry {
    const { added, removed } = this.#responseHeaders;
    const left = Object.entries({ ...headers, ...added }).filter(
      (field): field is [string, string] => field[1] !== undefined && !removed.includes(field[0]),
    );
    return { ...response, headers: Object.fromEntries(left) };
  }

  /** From the cache, or from the origin: once for requests that come at the same time. */
  async #entry(method: string, uri: string, headers: Headers): Promise<{ entry: Entry; isHit: boolean }> {
    const whole = this.#cache.get(uri);
    if (whole !== undefined && this.#now() < whole.until) return { entry: this.#aged(whole), isHit: true };
    const { range, "if-range": ifRange, "if-none-match": ifNoneMatch } = headers;
    // A part is kept beside; the viewer's conditions on the whole are the origin's.
    const isPart = range !== undefined && method === "GET";
    const key = isPart ? `${range}\n${uri}` : method === "HEAD" ? `HEAD\n${uri}` : uri;
    const cached = key === uri ? whole : this.#cache.get(key);
    const isMeant =
      !isPart ||
      (ifNoneMatch === undefined && (ifRange ?? cached?.entry.headers["etag"]) === cached?.entry.headers["etag"]);
    if (cached !== undefined && isMeant && this.#now() < cached.until)
      return { entry: this.#aged(cached), isHit: true };
    const comingKey = isPart ? `${ifRange}\n${ifNoneMatch}\n${key}` : key;
    const waiting = this.#coming.get(comingKey);
    if (waiting !== undefined) {
      const entry = await waiting;
      if (isForAll(entry)) return { entry, isHit: false };
      // A response that was for another request alone is not this one's.
      return { entry: await this.#fetch({ method, uri, headers, key, stale: cached ?? whole }), isHit: false };
    }
    const coming = this.#fetch({ method, uri, headers, key, stale: cached ?? whole });
    this.#coming.set(comingKey, coming);
    const came = () => {
      if (this.#coming.get(comingKey) === coming) this.#coming.delete(comingKey);
    };
    void coming.then(({ body }) => wholeOf(body)).then(came, came);
    return { entry: await coming, isHit: false };
  }

  async #fetch(asked: OriginFetch): Promise<Entry> {
    const { method, uri, headers, key, stale } = asked;
    // A response that is still there is compared by its own tag, whatever the viewer has.
    const etag = key === uri ? stale?.entry.headers["etag"] : undefined;
    const viewers = this.#isCold ? unconditional(headers) : headers;
    const conditions = etag === undefined ? viewers : { ...viewers, "if-none-match": etag };
    const invalidations = this.#invalidations;
    // Neither what it had before an invalidation nor what was on its way then may be kept after it.
    const isValid = () => invalidations === this.#invalidations;
    let entry: Entry;
    try {
      entry = await this.#fromOrigin(method, uri, conditions);
    } catch (error) {
      if (stale === undefined || !isValid() || !(error instanceof FunctionFailure)) throw error;
      return this.#stale(key, stale, error.status);
    }
    if (entry.status >= 500 && stale !== undefined && isValid()) return this.#stale(key, stale, entry.status);
    // The origin's 304 is private, so what the cache still has is compared each time from now on (RFC 9111, section 4.3.4).
    if (entry.status === 304 && etag !== undefined && stale !== undefined)
      return { ...stale.entry, headers: { ...stale.entry.headers, ...entry.headers } };
    const seconds = keptSeconds(entry, this.#lifetimes);
    // The whole may come if a part was asked for.
    const keptKey = method === "GET" && entry.status !== 206 ? uri : key;
    const came = () => {
      if (seconds > 0 && entry.status !== 304 && isValid()) this.#keep(keptKey, entry, seconds);
      else this.#origin.bodies.drop(entry.body);
    };
    const whole = wholeOf(entry.body);
    if (whole === undefined) came();
    else void whole.then(came, console.error);
    return entry;
  }

  async #fromOrigin(method: string, uri: string, headers: Headers): Promise<Entry> {
    if (!this.#isCold) return await this.#origin.fetch(method, uri, headers);
    return requestedPart(await this.#origin.fetch(method, uri, largerRange(headers)), method, headers);
  }

  /** The response that it still has, instead of an error of the origin. */
  #stale(key: string, { entry }: CachedResponse, status: number): Entry {
    this.#keep(key, entry, errorSeconds(status, this.#lifetimes));
    return entry;
  }

  #keep(key: string, entry: Entry, seconds: number): void {
    const since = this.#now();
    this.#cache.set(key, { entry, since, until: since + seconds });
  }

  /** A browser counts from when the edge got it: an immutable file is fresh for less than its max-age (RFC 9111, section 4.2.3). */
  #aged({ entry, since, until }: CachedResponse): Entry {
    const seconds = this.#isCold ? coldAge(until - since) : this.#now() - since;
    return { ...entry, headers: { ...entry.headers, age: String(Math.floor(seconds)) } };
  }
}

/** Requests for one key that come at the same time wait for one response, unless that is private ("Request collapsing"). */
function isForAll({ status, headers }: Entry): boolean {
  return status !== 304 && headers["cache-control"]?.includes("private") !== true;
}

interface OriginFetch {
  readonly method: string;
  readonly uri: string;
  readonly headers: Headers;
  readonly key: string;
  /** The response that the cache has, but for too long. */
  readonly stale: CachedResponse | undefined;
}

async function run(handler: ReturnType<typeof viewerRuntime>, ...given: Parameters<ReturnType<typeof viewerRuntime>>) {
  try {
    return await handler(...given);
  } catch (error) {
    throw new FunctionFailure(503, "A viewer function failed", error);
  }
}

function eventRequest(method: string, uri: string, headers: Headers): object {
  return { method, uri, querystring: {}, ...viewerFields(headers) };
}

function generated(made: ViewerResult): EdgeResult {
  const { headers, setCookie } = headersOf(made);
  const body = Buffer.from(made.body?.data ?? "");
  const entry = { status: made.statusCode, headers, body };
  return { ...withLength(entry, setCookie), from: "FunctionGeneratedResponse" };
}

/** CloudFront counts the bytes of a body if the origin has not. */
function withLength({ status, headers, body }: Entry, setCookie: string[] = []): Omit<EdgeResult, "from"> {
  const length = status === 304 ? {} : { "content-length": headers["content-length"] ?? String(lengthOf(body)) };
  return { status, headers: { ...headers, ...length, ...(setCookie.length > 0 && { "set-cookie": setCookie }) }, body };
}
