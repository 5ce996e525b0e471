import { dayMilliseconds, limits } from "../../../contract/api/limits.ts";
import type { Account } from "../../entities/account.ts";
import { dayOf } from "../../table/accounts/creation-counts.ts";
import { ServiceError } from "../service-error.ts";

/**
 * Items that are created and deleted in a loop stay in the table for up to 400 days.
 *
 * @throws ServiceError `too_many_creations` if the account has created as many tokens and projects today as one may
 */
export function assertMayCreate({ creations }: Account, now: Date): void {
  const isOfToday = creations !== undefined && creations.day >= dayOf(now);
  if (!isOfToday || creations.count < limits.creationsPerAccountAndDay) return;
  const nextDay = Date.parse(creations.day) + dayMilliseconds;
  throw new ServiceError("too_many_creations", { retryAfterSeconds: Math.ceil((nextDay - now.getTime()) / 1_000) });
}
