import { randomBytes, randomInt } from "node:crypto";
import { limits } from "../../../contract/api/limits.ts";
import { retryOnConflict } from "../../conflict.ts";
import type { Account } from "../../entities/account.ts";
import type { DeviceRequest } from "../../entities/grant.ts";
import type { Idempotency } from "../../entities/idempotent-creation.ts";
import { grantKey, keys } from "../../table/keys.ts";
import {
  countLookup,
  decideDeviceRequest,
  insertDeviceRequest,
  readDeviceRequest,
  recordAsking,
} from "../../table/login/grants.ts";
import { hashOfSecret, isHashOf } from "../secret-hash.ts";
import { ServiceError } from "../service-error.ts";
import {
  type Approval,
  approvedBy,
  createApprovedToken,
  type IssuedToken,
  isExpired,
  ownerOf,
} from "./authorization-codes.ts";

/** Consonants that no two people read differently (RFC 8628, section 6.1): 20^8 codes, and none is a word. */
const userCodeLetters = "BCDFGHJKLMNPQRSTVWXZ";
const userCodeLength = 8;
const keyLength = 22;
const lookupPeriodSeconds = 600;
/** The request of a machine that waits long enough may still arrive a little early. */
const earlySeconds = 1;

/** The codes of a machine that waits: the person types one, the machine presents the other. */
export interface DeviceCodes {
  readonly deviceCode: string;
  readonly userCode: string;
}

/**
 * Begins the sign-in of a machine without a browser. The device code begins with the request's key, so that one item
 * serves both codes; neither code is stored.
 */
export async function requestDevice(
  asked: Pick<DeviceRequest, "tokenName" | "scopes" | "project">,
  now: Date,
): Promise<DeviceCodes> {
  return await retryOnConflict(async () => {
    const userCode = newUserCode();
    const key = keyOf(userCode);
    const deviceCode = key + randomBytes(32).toString("base64url");
    const request: DeviceRequest = {
      ...asked,
      hash: hashOfSecret(deviceCode).toString("base64"),
      createdAt: now.toISOString(),
      intervalSeconds: limits.devicePollIntervalSeconds,
      ttl: Math.floor(now.getTime() / 1_000) + limits.deviceCodeLifetimeSeconds,
    };
    await insertDeviceRequest(key, request, now);
    return { deviceCode, userCode };
  });
}

function newUserCode(): string {
  const letters = Array.from({ length: userCodeLength }, () => userCodeLetters[randomInt(userCodeLetters.length)]);
  return `${letters.slice(0, 4).join("")}-${letters.slice(4).join("")}`;
}

/** Case, hyphens and spaces of what a person types do not matter. */
function keyOf(userCode: string): string {
  return grantKey(`device:${userCode.toUpperCase().replace(/[^A-Z]/g, "")}`);
}

/**
 * Request of the machine that shows a user code.
 *
 * @throws ServiceError `device_request_not_found` if none waits, `too_many_guesses`
 */
export async function findDeviceRequest(account: Account, userCode: string, now: Date): Promise<DeviceRequest> {
  await limitGuesses(account, now);
  const request = await readDeviceRequest(keyOf(userCode));
  if (request === undefined || isExpired(request, now) || request.approved !== undefined)
    throw new ServiceError("device_request_not_found");
  return request;
}

/**
 * Approves what the machine asks for, as the person changed it, or denies it. A request that is repeated by its idempotency key
 * succeeds again.
 *
 * @param approval null is a denial
 * @throws ServiceError `device_request_not_found` if none waits, `too_many_guesses`; `validation_failed` for a lifetime above the
 *   stage's limit
 */
export async function answerDeviceRequest(
  account: Account,
  { userCode, approval }: { readonly userCode: string; readonly approval: Approval | null },
  now: Date,
  idempotency?: Idempotency,
): Promise<void> {
  if (idempotency?.earlier) return;
  await limitGuesses(account, now);
  const approved = approval && approvedBy(account, approval, now);
  if (!(await decideDeviceRequest(keyOf(userCode), approved, { idempotency, now })))
    throw new ServiceError("device_request_not_found");
}

/** Counts a lookup before it reads the code, so that simultaneous requests get no more guesses. */
async function limitGuesses({ key }: Account, now: Date): Promise<void> {
  const period = Math.floor(now.getTime() / 1_000 / lookupPeriodSeconds);
  const ttl = (period + 2) * lookupPeriodSeconds;
  if (!(await countLookup(key, period, limits.userCodesPerTenMinutes, ttl))) throw new ServiceError("too_many_guesses");
}

/**
 * Exchanges a device code for a token once it is approved.
 *
 * @throws ServiceError `authorization_pending`, `slow_down`, `access_denied`, `expired_token` (RFC 8628, section 3.5),
 *   `invalid_grant`; those of {@link createApprovedToken}
 */
export async function exchangeDeviceCode(deviceCode: string, now: Date): Promise<IssuedToken> {
  const key = deviceCode.slice(0, keyLength);
  const request = await readDeviceRequest(key);
  if (request === undefined || !isHashOf(request.hash, deviceCode) || request.spentAt !== undefined)
    throw new ServiceError("invalid_grant");
  if (isExpired(request, now)) throw new ServiceError("expired_token");
  const { approved } = request;
  if (approved === null) throw new ServiceError("access_denied");
  if (approved === undefined) return await askLater(key, request, now);
  return await retryOnConflict(async () =>
    createApprovedToken(await ownerOf(approved), approved, keys.deviceRequest(key), now),
  );
}

/** A machine that asks too early must wait five seconds longer from then on. */
async function askLater(key: string, { askedAt, intervalSeconds }: DeviceRequest, now: Date): Promise<never> {
  const sinceSeconds = askedAt === undefined ? Infinity : (now.getTime() - Date.parse(askedAt)) / 1_000;
  const isEarly = sinceSeconds < intervalSeconds - earlySeconds;
  await recordAsking(key, intervalSeconds + (isEarly ? 5 : 0), now);
  throw new ServiceError(isEarly ? "slow_down" : "authorization_pending");
}
