import { randomBytes } from "node:crypto";
import { base62 } from "../../contract/api/tokens/token-format.ts";

/** A new id of 22 characters whose order is that of creation: 48 bits of milliseconds (9 characters), then 77 random bits. */
export function newId(now: Date): string {
  const random = BigInt(`0x${randomBytes(16).toString("hex")}`) % 62n ** 13n;
  return firstId(now) + base62(random, 13);
}

/** Lower bound of ids: no id of this time or later is smaller. */
export function firstId(time: Date): string {
  return base62(BigInt(time.getTime()), 9);
}
