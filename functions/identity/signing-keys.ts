import type { IncomingMessage, RequestOptions } from "node:http";
import http from "node:http";
import https from "node:https";
import { isJwk, type Jwk } from "aws-jwt-verify/jwk";
import type { JwtHeader } from "aws-jwt-verify/jwt-model";
import { isKeyFor } from "./signature.ts";
import { TokenRefusal } from "./token-rules.ts";

const attemptMilliseconds = 1_500;
const maximumBytes = 1024 * 1024;
/** Age from which keys are fetched again before they are used: whatever the issuer changes is noticed within this time. */
const refreshMilliseconds = 300_000;
/** Age at which keys are not used any more although their issuer cannot be reached. */
const longestMilliseconds = 3_600_000;
/** While old keys are used, so long after a failure the issuer is asked again: each attempt delays a request. */
const retryMilliseconds = 30_000;
/** Time for which an unknown key id is refused without asking the issuer again, so that many of them do not cause many requests. */
const unknownKeyPauseMilliseconds = 5_000;

/** After this many failures in a row the provider is not asked for a while, for the same reason. */
const failuresBeforePause = 3;
const failurePauseMilliseconds = 1_000;

/** The provider's signing keys could not be fetched: a fault of the service or the provider, never of the caller. */
export class KeysUnavailableError extends Error {
  override readonly name = "KeysUnavailableError";
}

/**
 * The signing keys of one issuer, as a warm function keeps them. They are used for five minutes, and only while the issuer cannot be
 * reached for longer, an hour at most.
 */
export class SigningKeys {
  readonly #fetch: () => Promise<readonly Jwk[]>;
  #fetching: Promise<readonly Jwk[]> | undefined;
  #keys: readonly Jwk[] = [];
  #fetchedAt = Number.NEGATIVE_INFINITY;
  #failedAt = Number.NEGATIVE_INFINITY;
  /** When the issuer last had no key for a token. */
  #missedAt = Number.NEGATIVE_INFINITY;

  /** @param findUrl asked before each request for the keys */
  constructor(findUrl: () => Promise<string>) {
    this.#fetch = withFailurePause(async () => {
      const keys = await fetchTwice(await findUrl(), keysIn);
      // The issuer has withdrawn them all.
      if (keys.length === 0) this.#fetchedAt = Number.NEGATIVE_INFINITY;
      if (keys.length === 0) throw new KeysUnavailableError("The issuer publishes no key");
      return keys;
    });
  }

  /**
   * The keys that may have signed a token with this header: those that have its key id, are for signatures, and are of the kind that its
   * algorithm needs. Several keys may have one id (RFC 7517, section 4.5).
   *
   * @throws TokenRefusal if there is none; KeysUnavailableError if the keys cannot be fetched
   */
  async keysFor(header: JwtHeader): Promise<readonly Jwk[]> {
    const { kid } = header;
    if (typeof kid !== "string") throw new TokenRefusal("kid: missing");
    const fetchedAt = this.#fetchedAt;
    const current = keysOf(await this.#current(), header);
    if (current.usable.length > 0) return current.usable;
    const isPaused = isWithin(this.#missedAt, unknownKeyPauseMilliseconds);
    if (isPaused || this.#fetchedAt !== fetchedAt) throw this.#refusal(current.named, isPaused);
    const renewed = keysOf(await this.#renewed(), header);
    if (renewed.usable.length > 0) return renewed.usable;
    throw this.#refusal(renewed.named, false);
  }

  #refusal(named: readonly Jwk[], isPaused: boolean): TokenRefusal {
    if (!isPaused) this.#missedAt = Date.now();
    if (named.length > 0) return new TokenRefusal("alg: unknown, or not that of the key");
    return new TokenRefusal(
      `kid: the provider ${isPaused ? "published no such key a moment ago" : "publishes no such key"}`,
    );
  }

  async #current(): Promise<readonly Jwk[]> {
    if (isWithin(this.#fetchedAt, refreshMilliseconds)) return this.#keys;
    const isOld = () => isWithin(this.#fetchedAt, longestMilliseconds);
    if (isOld() && isWithin(this.#failedAt, retryMilliseconds)) return this.#keys;
    try {
      return await this.#renewed();
    } catch (error) {
      if (error instanceof KeysUnavailableError && isOld()) return this.#keys;
      throw error;
    }
  }

  /** Requests at the same time cause one fetch. */
  async #renewed(): Promise<readonly Jwk[]> {
    this.#fetching ??= this.#fetch().finally(() => {
      this.#fetching = undefined;
    });
    try {
      this.#keys = await this.#fetching;
      this.#fetchedAt = Date.now();
      return this.#keys;
    } catch (error) {
      this.#failedAt = Date.now();
      throw error;
    }
  }
}

/** Whether a time is less than so long ago; one in the future, of a clock that was set back, is not. */
function isWithin(time: number, milliseconds: number): boolean {
  const age = Date.now() - time;
  return age >= 0 && age < milliseconds;
}

/** The keys that a header's key id names, and those of them that can have made its signature. */
function keysOf(keys: readonly Jwk[], { kid, alg }: JwtHeader) {
  const named = keys.filter((key) => key.kid === kid);
  return { named, usable: named.filter((key) => isKeyFor(alg, key)) };
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

/**
 * Finds where an issuer publishes its keys: its discovery document says it (OpenID Connect Discovery, section 4), on its own
 * origin.
 *
 * @throws KeysUnavailableError if the document cannot be read, is another issuer's, or names another origin
 */
export async function keysUrlOf(issuer: string): Promise<string> {
  if (!isSafe(issuer)) throw new KeysUnavailableError("The issuer must be an https URL, or http on loopback");
  return await fetchTwice(`${issuer}/.well-known/openid-configuration`, (bytes) => keysUrlIn(bytes, issuer));
}

function keysUrlIn(bytes: ArrayBuffer, issuer: string): string {
  const document = JSON.parse(Buffer.from(bytes).toString()) as { issuer?: unknown; jwks_uri: string } | null;
  if (document?.issuer !== issuer) throw new Error("The discovery document is of another issuer");
  if (new URL(document.jwks_uri).origin !== new URL(issuer).origin) throw new Error("The keys are on another origin");
  return document.jwks_uri;
}

/** After three failures in a row `fetch` is not called for a second; the keys are unavailable at once. */
function withFailurePause<T>(fetch: () => Promise<T>): () => Promise<T> {
  let failures = 0;
  let failedAt = 0;
  return async () => {
    if (failures >= failuresBeforePause && Date.now() - failedAt < failurePauseMilliseconds)
      throw new KeysUnavailableError("The signing keys could not be fetched a moment ago");
    try {
      const result = await fetch();
      failures = 0;
      return result;
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

/**
 * The keys of a JSON Web Key Set. One that is of an unknown kind or malformed is ignored (RFC 7517, section 5).
 *
 * @throws Error if it is no set: then the keys that are known stay
 */
function keysIn(bytes: ArrayBuffer): readonly Jwk[] {
  const { keys } = JSON.parse(Buffer.from(bytes).toString()) as { keys?: unknown };
  if (!Array.isArray(keys)) throw new Error("There is no list of keys in it");
  return keys.filter((key): key is Jwk => isJwk(key) && typeof key.kid === "string");
}
