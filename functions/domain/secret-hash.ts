import { createHash, timingSafeEqual } from "node:crypto";

/** SHA-256 of a secret: all that is stored of it, as base64. */
export function hashOfSecret(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}

/** Whether a stored hash (base64) is that of a secret, compared in constant time. */
export function isHashOf(storedHash: string, secret: string): boolean {
  const stored = Buffer.from(storedHash, "base64");
  return stored.byteLength === 32 && timingSafeEqual(stored, hashOfSecret(secret));
}
