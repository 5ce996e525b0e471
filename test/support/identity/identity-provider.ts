import { createHmac, generateKeyPairSync, type KeyObject, randomUUID, sign } from "node:crypto";
import type { ServerResponse } from "node:http";
import type { Certificate } from "../network/certificate.ts";
import { startHttpServer } from "../network/http-server.ts";

/** Members of the token that differ from those of a valid ID token; undefined leaves a member out. */
export interface TokenParts {
  readonly claims?: Record<string, unknown>;
  readonly header?: Record<string, unknown>;
  /** Signs with this key instead of the provider's current one. */
  readonly key?: KeyObject;
}

interface SigningKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

export type IdentityProvider = Awaited<ReturnType<typeof startIdentityProvider>>;

/**
 * An identity provider that a test can make misbehave: it signs whatever it is told to, rotates its keys, and responds
 * to requests for them as {@link IdentityProvider.respondWith} says. Keys are served at `jwksUri`, counted in `keyRequests`.
 */
export async function startIdentityProvider(audience = "svc-test", certificate?: Certificate, port?: number) {
  let keys = [newKey()];
  let keyRequests = 0;
  let discoveries = 0;
  let discovery: object | undefined;
  const publishedKeys = () => ({ keys: keys.map(publicJwk) });
  let respond = (response: ServerResponse, _url: string | undefined) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(publishedKeys()));
  };
  const serveKeys = respond;
  const server = await startHttpServer(
    (request, response) => {
      const isDiscovery = request.url === "/.well-known/openid-configuration";
      if (isDiscovery) discoveries += 1;
      else keyRequests += 1;
      if (isDiscovery && respond === serveKeys) {
        response.setHeader("content-type", "application/json");
        return void response.end(JSON.stringify(discoveryNow()));
      }
      respond(response, request.url);
    },
    certificate,
    port,
  );
  const issuer = server.endpoint;
  const discoveryNow = () => discovery ?? { issuer, jwks_uri: `${issuer}/jwks` };

  function current(): SigningKey {
    return keys[0] as SigningKey;
  }

  function idToken({ claims = {}, header = {}, key = current().privateKey }: TokenParts = {}): string {
    const now = Math.floor(Date.now() / 1_000);
    const payload = { iss: issuer, aud: audience, sub: randomUUID(), iat: now, exp: now + 3_600, ...claims };
    const input = signingInput({ alg: "RS256", typ: "JWT", kid: current().kid, ...header }, payload);
    return `${input}.${sign("sha256", Buffer.from(input), key).toString("base64url")}`;
  }

  return {
    issuer,
    audience,
    jwksUri: `${issuer}/jwks`,
    /** Keys that are served at `jwksUri` when nothing is wrong. */
    publishedKeys,
    idToken,
    /** Token as an authentication emulator issues it. */
    unsignedToken(claims: Record<string, unknown> = {}): string {
      const [, payload] = idToken({ claims }).split(".");
      return `${encode({ alg: "none", typ: "JWT" })}.${payload}.`;
    },
    /** The key confusion attack: HMAC with the public key as its secret. */
    confusedToken(claims: Record<string, unknown> = {}): string {
      const [, payload] = idToken({ claims }).split(".");
      const input = `${encode({ alg: "HS256", typ: "JWT", kid: current().kid })}.${payload}`;
      const secret = current().publicKey.export({ type: "spki", format: "pem" });
      return `${input}.${createHmac("sha256", secret).update(input).digest("base64url")}`;
    },
    /** Signs with a new key from now on; the old one stays published until {@link retireOldKeys}. */
    rotate(kid?: string): void {
      keys = [newKey(kid), ...keys];
    },
    get currentKey() {
      return current();
    },
    /** What the discovery document says. */
    get discovery() {
      return discoveryNow();
    },
    retireOldKeys(): void {
      keys = [current()];
    },
    /** Responds to requests for keys in another way; undefined restores the usual response. */
    respondWith(other: ((response: ServerResponse, url: string | undefined) => void) | undefined): void {
      respond = other ?? serveKeys;
    },
    /** Serves this discovery document (OpenID Connect Discovery, section 4); undefined restores the usual one. */
    discoverAs(document: object | undefined): void {
      discovery = document;
    },
    get keyRequests() {
      return keyRequests;
    },
    get discoveries() {
      return discoveries;
    },
    stop: () => server.stop(),
  };
}

function newKey(kid: string = randomUUID()): SigningKey {
  return { kid, ...generateKeyPairSync("rsa", { modulusLength: 2_048 }) };
}

function publicJwk({ kid, publicKey }: SigningKey) {
  return { ...publicKey.export({ format: "jwk" }), kid, use: "sig", alg: "RS256" };
}

function signingInput(header: object, payload: object): string {
  return `${encode(header)}.${encode(payload)}`;
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
