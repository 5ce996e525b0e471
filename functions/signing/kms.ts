import { createPublicKey } from "node:crypto";
import { GetPublicKeyCommand, KMSClient, SignCommand } from "@aws-sdk/client-kms";
import { ServiceError } from "../domain/service-error.ts";
import * as environment from "../environment.ts";

/*
 * The service's own signatures: ECDSA on P-256 with SHA-256, by keys that never leave KMS.
 */

let client: KMSClient | undefined;

function kms(): KMSClient {
  client ??= new KMSClient({
    ...environment.kmsEndpoint(),
    maxAttempts: 2,
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 3_000, throwOnRequestTimeout: true },
  });
  return client;
}

/** What a key is called outside AWS: the last part of its ARN, which names neither account nor region. */
function idOf(arn: string): string {
  return arn.slice(arn.lastIndexOf("/") + 1);
}

/** The id of the key that signs: the last one of the stage. */
export function signingKeyId(): string {
  return idOf(environment.attestationKeyArns().at(-1) ?? "");
}

/**
 * Signs a SHA-256.
 *
 * @returns the signature, DER-encoded
 * @throws ServiceError `temporarily_unavailable` if KMS fails, throttles, refuses or cannot be reached
 */
export async function signDigest(digest: Buffer): Promise<Buffer> {
  const KeyId = environment.attestationKeyArns().at(-1);
  const command = new SignCommand({ KeyId, Message: digest, MessageType: "DIGEST", SigningAlgorithm: "ECDSA_SHA_256" });
  const { Signature = new Uint8Array() } = await kms().send(command).catch(unavailable);
  return Buffer.from(Signature);
}

/** A public key as RFC 7517 has it, with the id of the KMS key. */
export interface PublicKey {
  readonly id: string;
  readonly jwk: { readonly kty: string; readonly crv: string; readonly x: string; readonly y: string };
}

/** The public keys of the stage, by their age. @throws as {@link signDigest} */
export async function readPublicKeys(): Promise<PublicKey[]> {
  return await Promise.all(
    environment.attestationKeyArns().map(async (KeyId) => {
      const { PublicKey = new Uint8Array() } = await kms().send(new GetPublicKeyCommand({ KeyId })).catch(unavailable);
      const key = createPublicKey({ key: Buffer.from(PublicKey), format: "der", type: "spki" });
      // Every key on a curve has these members (RFC 7518, section 6.2.1).
      return { id: idOf(KeyId), jwk: key.export({ format: "jwk" }) as PublicKey["jwk"] };
    }),
  );
}

function unavailable(cause: unknown): never {
  throw new ServiceError("temporarily_unavailable", { cause });
}
