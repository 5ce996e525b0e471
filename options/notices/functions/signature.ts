import { createHmac, randomBytes } from "node:crypto";

/*
 * Signatures of Standard Webhooks (https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md,
 * "Signature scheme").
 */

/** A new key of 192 bits, base64. */
export function newSigningKey(): string {
  return randomBytes(24).toString("base64");
}

/** A key as its receiver gets it, once. */
export function secretOf(key: string): string {
  return `whsec_${key}`;
}

/** Headers of a message. @param body as it is sent */
export function signedHeaders(key: string, { id, body }: { readonly id: string; readonly body: string }, now: Date) {
  const timestamp = Math.floor(now.getTime() / 1_000);
  const signature = createHmac("sha256", Buffer.from(key, "base64")).update(`${id}.${timestamp}.${body}`);
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": `v1,${signature.digest("base64")}`,
  };
}
