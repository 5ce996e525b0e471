import type { CloudFrontRequest, CloudFrontResultResponse } from "aws-lambda";
import { downloadUrl } from "../../../functions/files/store.ts";
import type { Play, Played } from "../service/play.ts";
import {
  assertAllowed,
  type Entry,
  eventHeaders,
  fromCache,
  keptSeconds,
  type Lifetimes,
  plainHeaders,
} from "./cache.ts";
import { type Store, viewerRuntime } from "./viewer-runtime.ts";

/** What a distribution has of the games' edge. */
export interface Distribution {
  readonly viewerRequest: string;
  readonly viewerResponse: string;
  /** The handler of the origin's functions. */
  readonly origin: (event: never, context: never) => Promise<unknown>;
  /** The headers of the viewer's request that its origin request policy sends to the origin. */
  readonly originHeaders: readonly string[];
  /** The origin's custom headers. */
  readonly customHeaders: Readonly<Record<string, string>>;
  readonly lifetimes: Lifetimes;
}

type Headers = Record<string, string | undefined>;

/**
 * One edge location of CloudFront, as far as its documentation says how it works: it runs the bundles that are deployed, by the
 * documented events, before the embedded store.
 */
export class CloudFront {
  readonly #distribution: Distribution;
  readonly #request: ReturnType<typeof viewerRuntime>;
  readonly #response: ReturnType<typeof viewerRuntime>;
  readonly #now: () => number;
  readonly #kept = new Map<string, { readonly entry: Entry; readonly until: number }>();
  readonly #coming = new Map<string, Promise<Entry>>();
  /** Requests that came to the bucket for objects of games, and the origin's function for anything. */
  readonly counts = { objects: 0, misses: 0 };

  /** @param now seconds */
  constructor(distribution: Distribution, store: Store, now: () => number) {
    this.#distribution = distribution;
    this.#request = viewerRuntime(distribution.viewerRequest, store);
    this.#response = viewerRuntime(distribution.viewerResponse, store);
    this.#now = now;
  }

  /** Forgets what is cached. */
  clear(): void {
    this.#kept.clear();
  }

  async play(host: string, { method = "GET", path = "/", headers: sent = {} }: Play): Promise<Played> {
    const [uri = "", ...rest] = path.split("?");
    const query = rest.length === 0 ? undefined : rest.join("?");
    const headers: Headers = { host, ...sent };
    const request = { method, uri, querystring: {}, ...viewerFields(headers) };
    const made = await this.#request({ request, query });
    if ("statusCode" in made) return played(method, generated(made));
    const asked: Headers = Object.fromEntries(
      Object.entries(made.headers as Record<string, { value: string }>).map(([name, { value }]) => [name, value]),
    );
    assertAllowed(["content-length", "host", "transfer-encoding", "via"], headers, asked);
    const entry = await this.#entry(made.method, made.uri, asked);
    const response = fromCache(entry, method, asked);
    return response.status >= 400 ? played(method, response) : await this.#toViewer({ request, query }, response);
  }

  async #toViewer(
    event: { readonly request: { readonly method: string }; readonly query: string | undefined },
    entry: Entry,
  ) {
    const { status: statusCode, body } = entry;
    const headers = Object.fromEntries(Object.entries(entry.headers).map(([name, value]) => [name, { value }]));
    const made = await this.#response({ ...event, response: { statusCode, headers, cookies: {} } });
    const changed = generated(made);
    assertAllowed(["warning", "via"], entry.headers, changed.headers);
    return played(event.request.method, { ...changed, body }, changed.cookies);
  }

  /** From the cache, or from the origin: once for requests that come at the same time. */
  async #entry(method: string, uri: string, headers: Headers): Promise<Entry> {
    const key = `${method} ${uri}`;
    const kept = this.#kept.get(key);
    if (kept !== undefined && this.#now() < kept.until) return kept.entry;
    if (headers["range"] !== undefined) return await this.#fromOrigin(method, uri, headers);
    const coming = this.#coming.get(key) ?? this.#fromOrigin(method, uri, headers);
    this.#coming.set(key, coming);
    try {
      const entry = await coming;
      this.#kept.set(key, { entry, until: this.#now() + keptSeconds(entry, this.#distribution.lifetimes) });
      return entry;
    } finally {
      this.#coming.delete(key);
    }
  }

  async #fromOrigin(method: string, uri: string, headers: Headers): Promise<Entry> {
    this.counts.misses += 1;
    const passed = [...this.#distribution.originHeaders, "range", "if-range", "if-none-match"];
    const request = {
      clientIp: "203.0.113.178",
      headers: eventHeaders(Object.fromEntries(passed.map((name) => [name, headers[name]]))),
      method,
      origin: { s3: this.#origin() },
      querystring: "",
      uri,
    };
    const before = plainHeaders(request.headers);
    const made = await this.#run<CloudFrontRequest | CloudFrontResultResponse>("origin-request", { request });
    if ("status" in made) return resultOf(made, Buffer.alloc(0));
    const after = plainHeaders(made.headers);
    assertAllowed(
      ["accept-encoding", "if-modified-since", "if-none-match", "if-range", "if-unmodified-since"],
      before,
      after,
    );
    const { body, ...response } = await this.#fromBucket(made);
    const changed = await this.#run<CloudFrontResultResponse>("origin-response", { request: made, response });
    assertAllowed(["transfer-encoding", "via"], plainHeaders(response.headers), plainHeaders(changed.headers));
    return resultOf(changed, body);
  }

  #origin() {
    const customHeaders = eventHeaders(this.#distribution.customHeaders);
    const domainName = `${process.env["BUCKET_NAME"]}.s3.eu-central-1.amazonaws.com`;
    return { customHeaders, domainName, path: "", region: "eu-central-1", authMethod: "none", readTimeout: 30 };
  }

  async #run<T>(eventType: string, cf: object): Promise<T> {
    const config = {
      distributionDomainName: "d111111abcdef8.cloudfront.net",
      distributionId: "EDFDVBD6EXAMPLE",
      eventType,
    };
    const event = { Records: [{ cf: { config, ...cf } }] };
    const result = await this.#distribution.origin(
      structuredClone(event) as never,
      { awsRequestId: "request" } as never,
    );
    return JSON.parse(JSON.stringify(result));
  }

  /** As origin access control does: a signed request for the URI that the function made. */
  async #fromBucket({ uri, headers }: CloudFrontRequest) {
    this.counts.objects += 1;
    const url = downloadUrl({ key: uri.slice(1), headers: {}, hasOrigin: false }, 60, new Date());
    const response = await fetch(url, { headers: { "accept-encoding": "identity" } });
    const sent = { ...Object.fromEntries(response.headers), "x-amz-request-id": "1", server: "AmazonS3" };
    const whole = { status: response.status, headers: sent, body: Buffer.from(await response.arrayBuffer()) };
    // The embedded store does not understand every range that S3 does; both ignore If-Range.
    const { status, headers: described, body } = fromCache(whole, "GET", { range: plainHeaders(headers)["range"] });
    return { status: String(status), statusDescription: "", headers: eventHeaders(described), body };
  }
}

/** Headers and cookies as a viewer function gets them. */
function viewerFields({ cookie, ...headers }: Headers) {
  const sent = Object.entries(headers).filter((entry) => entry[1] !== undefined);
  const cookies: Record<string, { value: string; multiValue?: { value: string }[] }> = {};
  for (const part of (cookie ?? "").split(";").filter((text) => text.trim() !== "")) {
    const [, name = "", value = ""] = /^([^=]*)=?(.*)$/.exec(part.trim()) ?? [];
    const first = cookies[name];
    if (first === undefined) cookies[name] = { value };
    else first.multiValue = [...(first.multiValue ?? [{ value: first.value }]), { value }];
  }
  return { headers: Object.fromEntries(sent.map(([name, value]) => [name, { value }])), cookies };
}

interface Generated {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, { readonly value: string }>>;
  readonly cookies?: Readonly<Record<string, { readonly value: string; readonly attributes?: string }>>;
  readonly body?: { readonly data: string };
}

function generated({ statusCode, headers, cookies = {}, body }: Generated) {
  return {
    status: statusCode,
    headers: Object.fromEntries(Object.entries(headers).map(([name, { value }]) => [name, value])),
    body: Buffer.from(body?.data ?? ""),
    cookies: Object.entries(cookies).map(([name, { value, attributes }]) => `${name}=${value}; ${attributes}`),
  };
}

function resultOf({ status, headers, body, bodyEncoding }: CloudFrontResultResponse, original: Buffer): Entry {
  const replaced = body === undefined ? original : Buffer.from(body, bodyEncoding === "base64" ? "base64" : "utf8");
  if (replaced.length > 1_000_000 && body !== undefined) throw new Error("A generated response has more than 1 MB");
  return { status: Number(status), headers: plainHeaders(headers), body: replaced };
}

/** CloudFront counts the bytes of a body, and sends none to HEAD. */
function played(method: string, { status, headers, body }: Entry, cookies: readonly string[] = []): Played {
  const length = status === 304 ? {} : { "content-length": headers["content-length"] ?? String(body.length) };
  const all = { ...headers, ...length, ...(cookies.length > 0 && { "set-cookie": [...cookies] }) };
  return { status, headers: all, body: method === "HEAD" ? Buffer.alloc(0) : body };
}
