import { limits } from "../../../contract/api/limits.ts";
import type { Account } from "../../entities/account.ts";
import type { Condition } from "../expressions.ts";

/**
 * Update that counts one creation of the day in an account's item, in the transaction that creates: an expression to SET, and its condition
 * that the day has room. Both follow from the account as it was read. Days are UTC, and never go back if the clocks of two functions
 * differ.
 */
export function countCreation(
  { creations }: Pick<Account, "creations">,
  now: Date,
): Required<Omit<Condition, "names">> & { set: string } {
  const today = dayOf(now);
  if (creations === undefined || creations.day < today)
    return {
      set: "creations = :creations",
      condition: "(attribute_not_exists(creations) OR creations.#day < :today)",
      values: { ":creations": { day: today, count: 1 }, ":today": today },
    };
  return {
    set: "creations.#count = creations.#count + :created",
    condition: "creations.#day = :today AND creations.#count < :most",
    values: { ":created": 1, ":today": creations.day, ":most": limits.creationsPerAccountAndDay },
  };
}

/** The day of a time in UTC: `2026-11-22`. */
export function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}
