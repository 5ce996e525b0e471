import { constants, generateKeyPairSync, sign } from "node:crypto";
import type { IdentityProvider } from "./identity-provider.ts";

const rsa = generateKeyPairSync("rsa", { modulusLength: 2_048 });
const edwards = generateKeyPairSync("ed25519");
const elliptic = (namedCurve: string) => generateKeyPairSync("ec", { namedCurve });
const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
const concatenated = { dsaEncoding: "ieee-p1363" } as const;

/** Signature algorithms of RFC 7518, RFC 8037 and RFC 9864. */
const algorithms = {
  RS256: { pair: rsa, hash: "sha256", options: {} },
  RS384: { pair: rsa, hash: "sha384", options: {} },
  RS512: { pair: rsa, hash: "sha512", options: {} },
  PS256: { pair: rsa, hash: "sha256", options: pss },
  PS384: { pair: rsa, hash: "sha384", options: pss },
  PS512: { pair: rsa, hash: "sha512", options: pss },
  ES256: { pair: elliptic("P-256"), hash: "sha256", options: concatenated },
  ES384: { pair: elliptic("P-384"), hash: "sha384", options: concatenated },
  ES512: { pair: elliptic("P-521"), hash: "sha512", options: concatenated },
  EdDSA: { pair: edwards, hash: null, options: {} },
  Ed25519: { pair: edwards, hash: null, options: {} },
};

export type Algorithm = keyof typeof algorithms;

/** Differences of the token and of its key from an ordinary one. */
export interface SigningOptions {
  readonly alg: Algorithm;
  /** The `alg` of the published key; left out: it has none. */
  readonly keyAlg?: string | undefined;
  /** Other members of the published key. */
  readonly jwk?: object;
  readonly claims?: object;
}

/** An ID token of `ada`, and from now on its key is the only one that the provider publishes. */
export function signedBy(provider: IdentityProvider, { alg, keyAlg, jwk, claims }: SigningOptions): string {
  const { pair, hash, options } = algorithms[alg];
  const key = { ...pair.publicKey.export({ format: "jwk" }), kid: alg, ...(keyAlg && { alg: keyAlg }), ...jwk };
  provider.respondWith((response) => response.end(JSON.stringify({ keys: [key] })));
  const seconds = Math.floor(Date.now() / 1_000);
  const times = { iat: seconds - 600, exp: seconds + 600 };
  const payload = { iss: provider.issuer, aud: provider.audience, sub: "ada", ...times, ...claims };
  const parts = [{ alg, typ: "JWT", kid: alg }, payload];
  const input = parts.map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  const signature = sign(hash, Buffer.from(input), { key: pair.privateKey, ...options });
  return `${input}.${signature.toString("base64url")}`;
}
