import { expect, test } from "@jest/globals";
import { type Retry, type RetryOptions, retryAfterMilliseconds, withRetries } from "./retry.ts";

/** Runs an attempt that fails once for each of `decisions`, then succeeds. Returns the waits. */
async function run(decisions: (Retry | undefined)[], options: Partial<RetryOptions> = {}) {
  const waits: number[] = [];
  let attempts = 0;
  const result = withRetries(
    async () => {
      attempts += 1;
      if (attempts <= decisions.length) throw new Error(`failure ${attempts}`);
      return "done";
    },
    {
      tries: 5,
      firstDelayMilliseconds: 100,
      longestWaitMilliseconds: 60_000,
      retryFor: () => decisions[attempts - 1],
      onRetry: () => {},
      sleep: async (milliseconds) => waits.push(milliseconds),
      random: () => 1,
      ...options,
    },
  );
  const outcome = await result.catch((error: Error) => error.message);
  return { outcome, waits, attempts };
}

const again: Retry = { why: "trouble" };

test("each wait is twice the one before", async () => {
  expect(await run([again, again, again, again])).toEqual({
    outcome: "done",
    waits: [100, 200, 400, 800],
    attempts: 5,
  });
});

test("up to half of a wait is random", async () => {
  expect((await run([again, again], { random: () => 0 })).waits).toEqual([50, 100]);
});

test("after the last try its failure is thrown", async () => {
  expect(await run(Array(5).fill(again))).toMatchObject({ outcome: "failure 5", attempts: 5 });
});

test("a failure without retry is thrown at once", async () => {
  expect(await run([again, undefined])).toMatchObject({ outcome: "failure 2", attempts: 2 });
});

test("Retry-After is waited for in full, and there is no retry if it is too long", async () => {
  expect(await run([{ why: "busy", afterMilliseconds: 7_000 }])).toMatchObject({ outcome: "done", waits: [7_000] });
  expect(await run([{ why: "busy", afterMilliseconds: 60_001 }])).toMatchObject({ outcome: "failure 1", waits: [] });
});

const sentAt = "Sat, 21 Nov 2026 10:00:00 GMT";

test.each([
  ["7", 7_000],
  ["0", 0],
  ["Sat, 21 Nov 2026 10:00:30 GMT", 30_000],
  ["Sat, 21 Nov 2026 09:00:00 GMT", 0],
  ["soon", undefined],
  [undefined, undefined],
])("Retry-After %p means %p milliseconds", (header, expected) => {
  expect(retryAfterMilliseconds({ "retry-after": header, date: sentAt })).toBe(expected);
});
