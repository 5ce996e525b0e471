import type { CloudFrontHeaders, CloudFrontRequest, CloudFrontResultResponse } from "aws-lambda";
import { isSentInParts } from "../../contract/folder/content-hash.ts";
import * as environment from "../../functions/environment.ts";
import { ownUrl } from "../../functions/files/store.ts";
import { Bodies, type Body, emptyBody } from "./bodies.ts";
import type { Entry } from "./cache.ts";
import { assertAllowed, eventHeaders, FunctionFailure, type Headers, plainHeaders } from "./events.ts";

/** The handler of Lambda@Edge at both events of the origin. */
export type OriginHandler = (event: never, context: never) => Promise<unknown>;

export interface OriginOptions {
  /** Loaded at the first miss. */
  readonly loadHandler: () => Promise<OriginHandler>;
  /** The headers of the viewer's request that the origin request policy sends to the origin. */
  readonly originHeaders: readonly string[];
  /** The origin's custom headers. */
  readonly customHeaders: Headers;
}

/** CloudFront sends these whatever the policy says. */
const alwaysSent = ["range", "if-range", "if-none-match"];
const largestGenerated = 1_000_000;

/** Origin behind an edge location's cache: Lambda@Edge before and after the bucket of this process's functions. */
export class Origin {
  readonly #options: OriginOptions;
  readonly bodies = new Bodies();
  /** Requests that came to the functions for anything, and to the bucket for objects of games. */
  readonly counts = { misses: 0, objects: 0 };

  constructor(options: OriginOptions) {
    this.#options = options;
  }

  /** @throws FunctionFailure */
  async fetch(method: string, uri: string, headers: Headers): Promise<Entry> {
    this.counts.misses += 1;
    const passed = [...this.#options.originHeaders, ...alwaysSent];
    const request = {
      clientIp: "203.0.113.178",
      headers: eventHeaders(Object.fromEntries(passed.map((name) => [name, headers[name]]))),
      method,
      origin: { s3: this.#s3() },
      querystring: "",
      uri,
    };
    const viewerHeaders = plainHeaders(request.headers);
    const made = await this.#run<CloudFrontRequest | CloudFrontResultResponse>("origin-request", { request });
    if ("status" in made) return resultOf(made, emptyBody);
    assertAllowed("originRequest", viewerHeaders, plainHeaders(made.headers));
    const { body, ...response } = await this.#fromBucket(made);
    const changed = await this.#run<CloudFrontResultResponse>("origin-response", { request: made, response });
    assertAllowed("originResponse", plainHeaders(response.headers), plainHeaders(changed.headers));
    return resultOf(changed, body);
  }

  #s3() {
    const region = environment.stageRegion();
    const customHeaders = eventHeaders(this.#options.customHeaders);
    const domainName = `${environment.bucketName()}.s3.${region}.amazonaws.com`;
    return { customHeaders, domainName, path: "", region, authMethod: "none", readTimeout: 30 };
  }

  async #run<T>(eventType: string, cf: object): Promise<T> {
    const config = { distributionDomainName: "d111111abcdef8.cloudfront.net", distributionId: "LOCAL", eventType };
    const event = { Records: [{ cf: { config, ...cf } }] };
    try {
      const handler = await this.#options.loadHandler();
      // Lambda gives and takes JSON.
      const result = await handler(structuredClone(event) as never, { awsRequestId: crypto.randomUUID() } as never);
      return JSON.parse(JSON.stringify(result));
    } catch (error) {
      throw new FunctionFailure(503, `The function of ${eventType} failed`, error);
    }
  }

  /** Signed request for the URI that the function made, as origin access control sends it. */
  async #fromBucket({ method, uri, headers }: CloudFrontRequest) {
    this.counts.objects += 1;
    const range = plainHeaders(headers)["range"];
    const sent = { "accept-encoding": "identity", ...(range && { range }) };
    const {
      status,
      headers: all,
      body,
    } = await this.#send(uri.slice(1), { method: method as "GET" | "HEAD", headers: sent });
    return { status: String(status), statusDescription: "", headers: withoutConnection(eventHeaders(all)), body };
  }

  /** The response; 503, as S3 itself says it, if there is none or a short one's connection breaks before its end. */
  async #send(key: string, request: RequestInit & { readonly method: "GET" | "HEAD" }): Promise<Entry> {
    try {
      const response = await fetch(ownUrl(key, { method: request.method }), request);
      const headers = { ...Object.fromEntries(response.headers), "x-amz-request-id": "1", server: "AmazonS3" };
      // The key of a game's file ends in its SHA-256.
      const sha256 = request.method === "GET" && response.status === 200 ? /[0-9a-f]{64}$/.exec(key)?.[0] : undefined;
      const bytesPerPart = sha256 === undefined ? undefined : await bytesPerPartOf(key, response);
      return { status: response.status, headers, body: await this.bodies.read(response, { sha256, bytesPerPart }) };
    } catch (error) {
      if (error instanceof FunctionFailure) throw error;
      return { status: 503, headers: {}, body: emptyBody };
    }
  }
}

/** The length of the parts in which an object was sent, which the store says of its first one (HeadObject with `partNumber`). */
async function bytesPerPartOf(key: string, { headers }: Response): Promise<number | undefined> {
  if (!isSentInParts(Number(headers.get("content-length")))) return undefined;
  const method = "HEAD";
  const first = await fetch(ownUrl(key, { method, query: { partNumber: "1" } }), { method });
  return first.ok ? Number(first.headers.get("content-length")) : undefined;
}

/** Headers of one connection are not the response's. */
function withoutConnection({ connection: _, "keep-alive": __, ...headers }: CloudFrontHeaders): CloudFrontHeaders {
  return headers;
}

function resultOf({ status, headers, body, bodyEncoding }: CloudFrontResultResponse, original: Body): Entry {
  const replaced = body === undefined ? original : Buffer.from(body, bodyEncoding === "base64" ? "base64" : "utf8");
  if (body !== undefined && Buffer.isBuffer(replaced) && replaced.length > largestGenerated)
    throw new FunctionFailure(502, "A generated response has more than 1 MB");
  return { status: Number(status), headers: plainHeaders(headers), body: replaced };
}
