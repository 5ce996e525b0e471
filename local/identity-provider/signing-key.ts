import {
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  type JsonWebKey,
  type KeyObject,
  randomUUID,
  sign,
} from "node:crypto";
import { promisify } from "node:util";
import { keptSecret } from "../kept-secret.ts";

/** The RS256 key with which the local identity provider signs ID tokens. */
export interface SigningKey {
  /** The public half as an entry of a JWK set (RFC 7517). */
  readonly publicJwk: Readonly<Record<string, unknown>>;
  /** Signs claims as a compact JWT (RFC 7519). */
  sign(claims: Readonly<Record<string, unknown>>): string;
}

/**
 * Reads the key of the data folder, or makes one and saves it there with mode 0600, so that ID tokens stay valid after a
 * restart.
 *
 * @param dataFolder undefined: a new key that is not saved
 */
export async function loadSigningKey(dataFolder: string | undefined): Promise<SigningKey> {
  return signingKey(await keptSecret(dataFolder, "identity-provider-key.json", newKey));
}

type PrivateJwk = JsonWebKey & { readonly kid: string };

async function newKey(): Promise<PrivateJwk> {
  const { privateKey } = await promisify(generateKeyPair)("rsa", { modulusLength: 2_048 });
  return { ...privateKey.export({ format: "jwk" }), kid: randomUUID(), alg: "RS256" };
}

function signingKey(jwk: PrivateJwk): SigningKey {
  const privateKey = createPrivateKey({ key: jwk, format: "jwk" });
  const { kid } = jwk;
  return {
    publicJwk: { ...createPublicKey(privateKey).export({ format: "jwk" }), kid, use: "sig", alg: "RS256" },
    sign: (claims) => signed(privateKey, { alg: "RS256", typ: "JWT", kid }, claims),
  };
}

function signed(privateKey: KeyObject, header: object, claims: object): string {
  const input = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  return `${input}.${sign("sha256", Buffer.from(input), privateKey).toString("base64url")}`;
}
