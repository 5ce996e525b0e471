import { ConflictError } from "../../conflict.ts";
import type { ApprovedToken, AuthorizationCode, DeviceRequest } from "../../entities/grant.ts";
import type { Idempotency } from "../../entities/idempotent-creation.ts";
import { epochSeconds } from "../attributes.ts";
import { absentOrExpired, asRead, itemExists } from "../expressions.ts";
import { idempotencyWrite } from "../idempotency-items.ts";
import { keys, ranges } from "../keys.ts";
import { readItems, readRange, type Slice } from "../read.ts";
import { change, put, putNew, transact, tryTransact } from "../transaction.ts";
import { updateItem } from "../update.ts";

/** Stores an authorization code under its digest. */
export async function insertAuthorizationCode(key: string, code: AuthorizationCode): Promise<void> {
  await transact({ code: putNew(keys.authorizationCode(key), code) });
}

export async function readAuthorizationCode(key: string): Promise<AuthorizationCode | undefined> {
  const [code] = await readItems([keys.authorizationCode(key)]);
  return code;
}

/** Stores a device request, unless another that has not expired has the same user code. */
export async function insertDeviceRequest(key: string, request: DeviceRequest, now: Date): Promise<void> {
  await transact({ request: put(keys.deviceRequest(key), request, absentOrExpired(now)) });
}

export async function readDeviceRequest(key: string): Promise<DeviceRequest | undefined> {
  const [request] = await readItems([keys.deviceRequest(key)]);
  return request;
}

/**
 * Records what a person decided about a device request that waits.
 *
 * @returns false if no such request waits
 */
export async function decideDeviceRequest(
  key: string,
  approved: ApprovedToken | null,
  { idempotency, now }: { readonly idempotency: Idempotency | undefined; readonly now: Date },
): Promise<boolean> {
  const failed = await tryTransact({
    idempotency: idempotencyWrite(idempotency, "", now),
    request: change(keys.deviceRequest(key), { approved }, asRead({ approved: undefined }), {
      condition: "#ttl > :now",
      values: { ":now": epochSeconds(now) },
    }),
  });
  if (failed?.name === "idempotency") throw new ConflictError();
  return failed === undefined;
}

/** Records when a machine asked last and how often it may from then on. */
export async function recordAsking(key: string, intervalSeconds: number, now: Date): Promise<void> {
  const asked = { askedAt: now.toISOString(), intervalSeconds };
  await updateItem(keys.deviceRequest(key), asked, itemExists);
}

/** Counts the lookup of a user code; false if the account has had `limit` of them in the period. */
export async function countLookup(accountKey: string, period: number, limit: number, ttl: number): Promise<boolean> {
  const failed = await tryTransact({
    lookups: change(keys.codeLookups(accountKey, period), "SET #ttl = :ttl ADD #count :one", {
      condition: "attribute_not_exists(#count) OR #count < :limit",
      values: { ":ttl": ttl, ":one": 1, ":limit": limit },
    }),
  });
  return failed === undefined;
}

/** Numbers of user codes that an account has looked up, by period. */
export async function readCodeLookups(accountKey: string, slice: Slice) {
  return await readRange(ranges.codeLookups(accountKey), slice);
}
