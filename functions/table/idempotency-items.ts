import { limits } from "../../contract/api/limits.ts";
import type { Idempotency, IdempotentCreation } from "../entities/idempotent-creation.ts";
import { keys, ranges } from "./keys.ts";
import { readRange, type Slice } from "./read.ts";
import { put, type Write } from "./transaction.ts";

/**
 * The write that keeps what a request creates under its idempotency key, part of the transaction that creates it. It comes first:
 * if two requests with one key race, the slower one meets this condition, and not one of the creation itself.
 */
export function idempotencyWrite(
  idempotency: Idempotency | undefined,
  created: string,
  now: Date,
): Write<IdempotentCreation> | undefined {
  if (idempotency === undefined) return undefined;
  const { accountKey, value, fingerprint, earlier } = idempotency;
  const key = keys.idempotentCreation(accountKey, value);
  const epochSeconds = Math.floor(now.getTime() / 1_000);
  // What was created before is replaced by the same transaction, under a condition of its own.
  if (earlier) return put(key, { fingerprint, created, ttl: earlier.ttl });
  const free = { condition: "attribute_not_exists(PK) OR #ttl <= :now" };
  const ttl = epochSeconds + limits.idempotencyKeySeconds;
  return put(key, { fingerprint, created, ttl }, { ...free, values: { ":now": epochSeconds } });
}

/** What an account created with idempotency keys within a day, or a little longer. */
export async function readIdempotentCreations(accountKey: string, slice: Slice) {
  return await readRange(ranges.idempotentCreations(accountKey), slice);
}
