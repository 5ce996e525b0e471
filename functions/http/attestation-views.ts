import type * as z from "zod/mini";
import { type getAttestation, type getAttestationKeys, statementType } from "../../contract/api/attestations.ts";
import type { Attestation } from "../domain/attestations/attestations.ts";
import type { PublicKey } from "../signing/kms.ts";

/*
 * Views (see views.ts) of attestations.
 */

type EnvelopeView = z.infer<(typeof getAttestation)["responses"][200]>;
type KeysView = z.infer<(typeof getAttestationKeys)["responses"][200]>;

export function envelopeView({ statement, signature: { keyId, signature } }: Attestation): EnvelopeView {
  return {
    payloadType: statementType,
    payload: Buffer.from(statement).toString("base64"),
    signatures: [{ keyid: keyId, sig: signature }],
  };
}

export function keysView(keys: readonly PublicKey[]): KeysView {
  return {
    keys: keys.map(({ id, jwk: { kty, crv, x, y } }) => ({ kty, crv, x, y, kid: id, use: "sig", alg: "ES256" })),
  };
}
