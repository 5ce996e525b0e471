import { createPublicKey } from "node:crypto";
import { bundleFromJSON } from "@sigstore/bundle";
import { toSignedEntity, toTrustMaterial, Verifier } from "@sigstore/verify";

/** An envelope as the API responds with it. */
export interface Envelope {
  readonly payloadType: string;
  readonly payload: string;
  readonly signatures: readonly { readonly keyid: string; readonly sig: string }[];
}

/** An entry of the API's JWK set. */
export interface Jwk {
  readonly [member: string]: string;
  readonly kid: string;
}

const nothing = { certificateAuthorities: [], timestampAuthorities: [], tlogs: [], ctlogs: [] };

/**
 * Verifies an envelope by Sigstore's own verifier, with these keys and without a transparency log.
 *
 * @returns the statement
 * @throws VerificationError
 */
// biome-ignore lint/suspicious/noExplicitAny: a statement is whatever JSON was signed
export function verified(envelope: Envelope, keys: readonly Jwk[]): any {
  const known = keys.map(({ kid, ...jwk }) => {
    const rawBytes = createPublicKey({ key: jwk, format: "jwk" }).export({ format: "der", type: "spki" });
    return [kid, { rawBytes, keyDetails: "PKIX_ECDSA_P256_SHA_256", validFor: { start: new Date(0) } }];
  });
  const material = toTrustMaterial({ mediaType: "", ...nothing }, Object.fromEntries(known));
  const bundle = bundleFromJSON({
    mediaType: "application/vnd.dev.sigstore.bundle.v0.3+json",
    verificationMaterial: { publicKey: { hint: envelope.signatures[0]?.keyid }, tlogEntries: [] },
    dsseEnvelope: envelope,
  });
  const thresholds = { tlogThreshold: 0, ctlogThreshold: 0, timestampThreshold: 0 };
  new Verifier(material, thresholds).verify(toSignedEntity(bundle));
  return JSON.parse(Buffer.from(envelope.payload, "base64").toString());
}
