import { verify } from "node:crypto";
import * as environment from "../environment.ts";
import { fetchTwice } from "./signing-keys.ts";

/** GitHub's response: PEM keys of P-256 (docs.github.com, "Secret scanning partner program"). */
interface PublicKeys {
  readonly public_keys: readonly { readonly key_identifier: string; readonly key: string }[];
}

const keptMilliseconds = 3_600_000;
const failureKeptMilliseconds = 60_000;
/** The keys, or undefined after a failure, and until when they are not fetched again. */
let kept: { readonly keys: PublicKeys["public_keys"] | undefined; readonly until: number } | undefined;

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

/**
 * Fetched at most once an hour, after a failure once a minute: neither an unknown key id nor a signed report while GitHub is
 * down, which anybody can send, causes a request.
 */
async function publicKeys(): Promise<PublicKeys["public_keys"] | undefined> {
  if (kept && Date.now() < kept.until) return kept.keys;
  const keys = await fetchTwice(environment.githubKeysUri(), publicKeysIn).catch(() => undefined);
  kept = { keys, until: Date.now() + (keys ? keptMilliseconds : failureKeptMilliseconds) };
  return keys;
}

function publicKeysIn(bytes: ArrayBuffer): PublicKeys["public_keys"] {
  const { public_keys: keys } = JSON.parse(Buffer.from(bytes).toString()) as PublicKeys;
  if (!Array.isArray(keys)) throw new Error("There are no public_keys in it");
  return keys;
}
