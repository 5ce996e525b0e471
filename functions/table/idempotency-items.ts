import { limits } from "../../contract/api/limits.ts";
import type { Idempotency, IdempotentCreation } from "../entities/idempotent-creation.ts";
import { epochSeconds } from "./attributes.ts";
import { absentOrExpired } from "./expressions.ts";
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
  // Earlier creations are replaced by the same transaction, under a condition of its own.
  if (earlier) return put(key, { fingerprint, created, ttl: earlier.ttl });
  const ttl = epochSeconds(now) + limits.idempotencyKeySeconds;
  return put(key, { fingerprint, created, ttl }, absentOrExpired(now));
}

/** Creations of an account with idempotency keys within a day, or a little longer. */
export async function readIdempotentCreations(accountKey: string, slice: Slice) {
  return await readRange(ranges.idempotentCreations(accountKey), slice);
}
