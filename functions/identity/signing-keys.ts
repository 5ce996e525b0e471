import type { IncomingMessage, RequestOptions } from "node:http";
import http from "node:http";
import https from "node:https";
import { SimpleJwksCache, SimplePenaltyBox } from "aws-jwt-verify/jwk";

const attemptMilliseconds = 1_500;
const maximumBytes = 1024 * 1024;
/** Time for which an unknown key id is refused without asking the provider again, so that many of them do not cause many requests. */
const unknownKeyPauseSeconds = 5;

/** After this many failures in a row the provider is not asked for a while, for the same reason. */
const failuresBeforePause = 3;
const failurePauseMilliseconds = 1_000;

/** The provider's signing keys could not be fetched: a fault of the service or the provider, never of the caller. */
export class KeysUnavailableError extends Error {
  override readonly name = "KeysUnavailableError";
}

/** The identity provider's signing keys, fetched when a key id is first seen and kept while the function is warm. */
export function signingKeys(): SimpleJwksCache {
  return new SimpleJwksCache({
    fetcher: { fetch: withFailurePause((uri) => fetchTwice(uri, assertKeys)) },
    penaltyBox: new SimplePenaltyBox({ waitSeconds: unknownKeyPauseSeconds }),
  });
}

/**
 * Accepts only https, or http to this machine: whoever can change the keys on their way can sign in as anybody.
 *
 * @throws Error for any other URL
 */
export function assertKeysUrlIsSafe(uri: string): void {
  if (!isSafe(uri)) throw new Error("IDP_JWKS_URI must be an https URL, or http on loopback");
}

function isSafe(uri: string): boolean {
  const { protocol, hostname } = new URL(uri);
  const isLoopback = ["127.0.0.1", "localhost", "[::1]"].includes(hostname);
  return protocol === "https:" || (protocol === "http:" && isLoopback);
}

const discoveryMilliseconds = 3_600_000;

/**
 * Finds where an issuer publishes its keys: its discovery document says it (OpenID Connect Discovery, section 4), on its own
 * origin. It is kept for an hour, and longer while it cannot be read again.
 *
 * @throws KeysUnavailableError if the document cannot be read, is another issuer's, or names another origin
 */
export function keysUrlOf(issuer: string): () => Promise<string> {
  const fetchKeysUrl = withFailurePause((uri) => fetchTwice(uri, (bytes) => keysUrlIn(bytes, issuer)));
  let kept: { readonly uri: string; readonly at: number } | undefined;
  return async () => {
    if (!isSafe(issuer)) throw new KeysUnavailableError("The issuer must be an https URL, or http on loopback");
    if (kept !== undefined && Date.now() - kept.at < discoveryMilliseconds) return kept.uri;
    try {
      const uri = await fetchKeysUrl(`${issuer}/.well-known/openid-configuration`);
      kept = { uri, at: Date.now() };
      return uri;
    } catch (error) {
      if (kept === undefined) throw error;
      return kept.uri;
    }
  };
}

function keysUrlIn(bytes: ArrayBuffer, issuer: string): string {
  const document = JSON.parse(Buffer.from(bytes).toString()) as { issuer?: unknown; jwks_uri: string } | null;
  if (document?.issuer !== issuer) throw new Error("The discovery document is of another issuer");
  if (new URL(document.jwks_uri).origin !== new URL(issuer).origin) throw new Error("The keys are on another origin");
  return document.jwks_uri;
}

type Fetch<T> = (uri: string) => Promise<T>;

/** After three failures in a row `fetch` is not called for a second; the keys are unavailable at once. */
function withFailurePause<T>(fetch: Fetch<T>): Fetch<T> {
  let failures = 0;
  let failedAt = 0;
  return async (uri) => {
    if (failures >= failuresBeforePause && Date.now() - failedAt < failurePauseMilliseconds)
      throw new KeysUnavailableError("The signing keys could not be fetched a moment ago");
    try {
      const found = await fetch(uri);
      failures = 0;
      return found;
    } catch (error) {
      failures += 1;
      failedAt = Date.now();
      throw error;
    }
  };
}

type Read<T> = (bytes: ArrayBuffer) => T;

/**
 * Fetches public keys, with one more attempt if the first fails.
 *
 * @param read throws if the response is not what it should be
 * @throws KeysUnavailableError
 */
async function fetchTwice<T>(uri: string, read: Read<T>): Promise<T> {
  try {
    return await fetchOnce(uri, read);
  } catch {
    return await fetchOnce(uri, read);
  }
}

/** `fetch` would load undici, which costs a cold start more than all the rest of this file's imports. */
function fetchOnce<T>(uri: string, read: Read<T>): Promise<T> {
  const client = uri.startsWith("http:") ? http : https;
  const options: RequestOptions = { signal: AbortSignal.timeout(attemptMilliseconds) };
  return new Promise((resolve, reject) => {
    const fail = (cause: Error) => reject(new KeysUnavailableError("The signing keys could not be fetched", { cause }));
    const request = client.get(uri, options, (response) => {
      bytesOf(response).then(read).then(resolve, fail);
    });
    request.on("error", fail);
  });
}

async function bytesOf(response: IncomingMessage): Promise<ArrayBuffer> {
  if (response.statusCode !== 200) {
    response.resume();
    throw new Error(`The response has status ${response.statusCode}`);
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    if (bytes > maximumBytes) throw new Error(`The response is longer than ${maximumBytes} bytes`);
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks)).buffer;
}

/** An invalid JWKS must not replace the keys that are known. */
function assertKeys(bytes: ArrayBuffer): ArrayBuffer {
  const { keys } = JSON.parse(Buffer.from(bytes).toString()) as { keys?: { kid?: unknown }[] };
  if (!Array.isArray(keys) || !keys.some((key) => typeof key?.kid === "string"))
    throw new Error("There is no key in it");
  return bytes;
}
