import { createPublicKey, type KeyObject, verify } from "node:crypto";
import type { Jwk } from "aws-jwt-verify/jwk";
import type { DecomposedJwt } from "aws-jwt-verify/jwt";
import { TokenRefusal } from "./token-rules.ts";

/*
 * Signatures of JSON Web Tokens. The library knows neither the name Ed25519 nor several keys with one id.
 */

interface Algorithm {
  /** Digest; null: the algorithm has its own. */
  readonly hash: "sha256" | "sha384" | "sha512" | null;
  /** Type and curves of the keys that it takes. */
  readonly kty: string;
  readonly crv?: readonly string[];
}

/** Signature algorithms that are accepted (RFC 7518, section 3.1; RFC 8037; RFC 9864). */
const algorithms = new Map<string | undefined, Algorithm>([
  ["RS256", { hash: "sha256", kty: "RSA" }],
  ["RS384", { hash: "sha384", kty: "RSA" }],
  ["RS512", { hash: "sha512", kty: "RSA" }],
  ["ES256", { hash: "sha256", kty: "EC", crv: ["P-256"] }],
  ["ES384", { hash: "sha384", kty: "EC", crv: ["P-384"] }],
  ["ES512", { hash: "sha512", kty: "EC", crv: ["P-521"] }],
  ["EdDSA", { hash: null, kty: "OKP", crv: ["Ed25519", "Ed448"] }],
  ["Ed25519", { hash: null, kty: "OKP", crv: ["Ed25519"] }],
]);

/** Whether a key may have made signatures of an algorithm, by what it says of itself (RFC 7517, sections 4.1 to 4.4). */
export function isKeyFor(alg: string | undefined, key: Jwk): boolean {
  const algorithm = algorithms.get(alg);
  if (algorithm === undefined) return false;
  const { use = "sig", key_ops: operations = ["verify"], alg: keyAlgorithm = alg } = key;
  const isForVerifying = use === "sig" && Array.isArray(operations) && operations.includes("verify");
  const isOfKind = key.kty === algorithm.kty && (algorithm.crv?.includes(String(key.crv)) ?? true);
  return isForVerifying && keyAlgorithm === alg && isOfKind;
}

/**
 * Refuses a token that none of these keys, all for the algorithm of its header, has signed.
 *
 * @throws TokenRefusal
 */
export function assertSignature({ header, headerB64, payloadB64, signatureB64 }: DecomposedJwt, keys: readonly Jwk[]) {
  const hash = algorithms.get(header.alg)?.hash;
  if (hash === undefined) throw new TokenRefusal("alg: unknown, or not that of the key");
  const signed = Buffer.from(`${headerB64}.${payloadB64}`);
  const signature = Buffer.from(signatureB64, "base64url");
  const hasSigned = (key: KeyObject) => verify(hash, signed, { key, dsaEncoding: "ieee-p1363" }, signature);
  if (!keys.some((jwk) => publicKeysOf(jwk).some(hasSigned)))
    throw new TokenRefusal("signature: not of the key that kid names");
}

/** None for a key with impossible values, which is ignored (RFC 7517, section 5). */
function publicKeysOf(key: Jwk): KeyObject[] {
  try {
    return [createPublicKey({ key, format: "jwk" })];
  } catch {
    return [];
  }
}
