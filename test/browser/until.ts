import { setTimeout as delay } from "node:timers/promises";
import { expect } from "@jest/globals";

/** A page of any browser. */
export interface EvaluatedPage {
  evaluate(expression: string): Promise<unknown>;
}

const usualMilliseconds = 30_000;

/** Firefox never responds if the page leaves, and is kept for going back, while a promise in it is waited for. */
const responseMilliseconds = 5_000;

/**
 * Waits until an expression has a value that JSON can hold; while the page changes it has none.
 *
 * @throws Error with its last value, and what the page says
 */
export async function until(
  page: EvaluatedPage,
  expression: string,
  expected: unknown = true,
  milliseconds = usualMilliseconds,
): Promise<void> {
  let seen: unknown;
  for (const end = Date.now() + milliseconds; Date.now() < end; await delay(50)) {
    seen = await ask(page, expression);
    if (JSON.stringify(seen) === JSON.stringify(expected)) return;
  }
  const says = await ask(page, "document.body.innerText");
  expect({ expression, says, seen }).toEqual({ expression, says, seen: expected });
}

async function ask(page: EvaluatedPage, expression: string): Promise<unknown> {
  const silence = delay(responseMilliseconds, "There was no response", { ref: false });
  return await Promise.race([page.evaluate(expression).catch(String), silence]);
}
