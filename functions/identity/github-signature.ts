import { verify } from "node:crypto";
import * as environment from "../environment.ts";
import { fetchTwice } from "./signing-keys.ts";

/** GitHub's response: PEM keys of P-256 (docs.github.com, "Secret scanning partner program"). */
interface PublicKeys {
  readonly public_keys: readonly { readonly key_identifier: string; readonly key: string }[];
}

const keptMilliseconds = 3_600_000;
let kept: { readonly keys: PublicKeys["public_keys"]; readonly fetchedAt: number } | undefined;

/**
 * Whether GitHub signed this body: ECDSA over P-256 with SHA-256, DER in base64.
 *
 * @returns undefined where GitHub's keys cannot be fetched now
 */
export async function isSignedByGitHub(body: Buffer, keyId: string, signature: string): Promise<boolean | undefined> {
  const keys = await publicKeys();
  const key = keys?.find(({ key_identifier }) => key_identifier === keyId)?.key;
  if (keys === undefined) return undefined;
  return key !== undefined && verify("sha256", body, key, Buffer.from(signature, "base64"));
}

/** Fetched at most once an hour: an unknown key id, which anybody can send, causes no request. */
async function publicKeys(): Promise<PublicKeys["public_keys"] | undefined> {
  if (kept && Date.now() - kept.fetchedAt < keptMilliseconds) return kept.keys;
  try {
    const bytes = await fetchTwice(environment.githubKeysUri(), assertPublicKeys);
    kept = { keys: parsed(bytes).public_keys, fetchedAt: Date.now() };
    return kept.keys;
  } catch {
    return undefined;
  }
}

function parsed(bytes: ArrayBuffer): PublicKeys {
  return JSON.parse(Buffer.from(bytes).toString()) as PublicKeys;
}

function assertPublicKeys(bytes: ArrayBuffer): ArrayBuffer {
  if (!Array.isArray(parsed(bytes).public_keys)) throw new Error("There are no public_keys in it");
  return bytes;
}
