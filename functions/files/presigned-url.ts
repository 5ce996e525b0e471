import { createHmac, createSecretKey, hash, type KeyObject } from "node:crypto";

/** The credentials that sign, and the region. */
export interface Signer {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
  readonly region: string;
}

/** The request that a presigned URL permits: one method on one object, with exactly these headers, until it expires. */
export interface SignedRequest {
  readonly method: "DELETE" | "GET" | "HEAD" | "POST" | "PUT";
  /** Scheme and host. */
  readonly origin: string;
  /** Only unreserved characters and `/` (RFC 3986, section 2.3). */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Names in lower case. The request must send the same values. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly expiresInSeconds: number;
}

const algorithm = "AWS4-HMAC-SHA256";

/**
 * The URL of a request with its signature in the query (AWS Signature Version 4, query string authentication), byte for byte
 * like the SDK's presigner. It takes less than a tenth of its time, because one response can have 1,000 upload URLs.
 */
export function presignedUrl(request: SignedRequest, signer: Signer, now: Date): string {
  const { method, origin, path, headers = {} } = request;
  const time = now.toISOString().replace(/-|:|\.\d+/g, "");
  const scope = `${time.slice(0, 8)}/${signer.region}/s3/aws4_request`;
  const signed = Object.entries({ ...headers, host: hostOf(origin) }).sort(byName);
  const signedHeaders = signed.map(([name]) => name).join(";");
  const { head, tail } = queryAround({ request, signer, time, scope, signedHeaders });
  const canonicalHeaders = signed.map(([name, value]) => `${name}:${value}\n`).join("");
  const canonicalRequest = `${method}\n${path}\n${head}&${tail}\n${canonicalHeaders}\n${signedHeaders}\nUNSIGNED-PAYLOAD`;
  const toSign = `${algorithm}\n${time}\n${scope}\n${hash("sha256", canonicalRequest)}`;
  return `${origin}${path}?${head}&X-Amz-Signature=${signature(toSign, signer, scope)}&${tail}`;
}

/**
 * The query before and after the signature, sorted by name as signing requires. Parameters of the request itself are in
 * lower case, so they come last.
 */
function queryAround(parts: {
  request: SignedRequest;
  signer: Signer;
  time: string;
  scope: string;
  signedHeaders: string;
}): { head: string; tail: string } {
  const { request, signer, time, scope, signedHeaders } = parts;
  const token = signer.sessionToken ? `&X-Amz-Security-Token=${percentEncoded(signer.sessionToken)}` : "";
  const credential = percentEncoded(`${signer.accessKeyId}/${scope}`);
  const parameters = Object.entries(request.query ?? {}).sort(byName);
  return {
    head: `X-Amz-Algorithm=${algorithm}&X-Amz-Content-Sha256=UNSIGNED-PAYLOAD&X-Amz-Credential=${credential}&X-Amz-Date=${time}&X-Amz-Expires=${request.expiresInSeconds}${token}`,
    tail: [["X-Amz-SignedHeaders", signedHeaders] as const, ...parameters]
      .map(([name, value]) => `${name}=${percentEncoded(value)}`)
      .join("&"),
  };
}

/** Host of an origin, which is not parsed: it is the service's own configuration, in lower case and without a default port. */
function hostOf(origin: string): string {
  return origin.slice(origin.indexOf("//") + 2);
}

function byName([a]: readonly [string, string], [b]: readonly [string, string]): number {
  return a < b ? -1 : 1;
}

/** AWS requires the encoding of five more characters than `encodeURIComponent` encodes. */
function percentEncoded(text: string): string {
  const encoded = encodeURIComponent(text);
  if (!/[!'()*]/.test(encoded)) return encoded;
  return encoded.replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}

function signature(text: string, { secretAccessKey }: Signer, scope: string): string {
  return createHmac("sha256", signingKey(secretAccessKey, scope)).update(text).digest("hex");
}

let cached: { readonly secret: string; readonly scope: string; readonly key: KeyObject } | undefined;

/** The signing key of a secret, a day and a region; a warm function caches it. */
function signingKey(secret: string, scope: string): KeyObject {
  if (cached?.secret === secret && cached.scope === scope) return cached.key;
  const start: Buffer = Buffer.from(`AWS4${secret}`);
  const key = scope.split("/").reduce((above, part) => createHmac("sha256", above).update(part).digest(), start);
  cached = { secret, scope, key: createSecretKey(key) };
  return cached.key;
}
