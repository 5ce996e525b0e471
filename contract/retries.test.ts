import { expect, test } from "@jest/globals";
import { ApiError, NetworkError } from "./api-error.ts";
import { type Retry, type RetryOptions, retryFor, withRetries } from "./retries.ts";

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
      retryFor: () => decisions[attempts - 1],
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
    waits: [250, 500, 1_000, 2_000],
    attempts: 5,
  });
});

test("up to half of a wait is random", async () => {
  expect((await run([again, again], { random: () => 0 })).waits).toEqual([125, 250]);
});

test("after the last try its failure is thrown", async () => {
  expect(await run(Array(5).fill(again))).toMatchObject({ outcome: "failure 5", attempts: 5 });
});

test("a failure without retry is thrown at once", async () => {
  expect(await run([again, undefined])).toMatchObject({ outcome: "failure 2", attempts: 2 });
});

/** Ten minutes of patience, by a clock that only the waits move. */
function patient(options: Partial<RetryOptions> = {}): Partial<RetryOptions> & { readonly said: string[] } {
  let time = 0;
  const said: string[] = [];
  const { signal } = new AbortController();
  return {
    said,
    now: () => time,
    sleep: async (milliseconds) => {
      time += milliseconds;
    },
    patience: {
      longestMilliseconds: 600_000,
      tries: 5,
      signal,
      onLost: ({ why }) => said.push(why),
      onResponse: () => said.push("back"),
    },
    ...options,
  };
}

const lost: Retry = { why: "no route", isLost: true };

test("while the network is away, tries do not count, and waits are 10 seconds at most", async () => {
  const options = patient();
  expect(await run([...Array(60).fill(lost), again, again, again, again], options)).toMatchObject({ outcome: "done" });
  expect(options.said).toEqual([...Array(60).fill("no route"), "back"]);
});

test("a network that stays away for ten minutes is given up, not earlier and not much later", async () => {
  let time = 0;
  const sleep = async (milliseconds: number) => {
    time += milliseconds;
  };
  const options = { ...patient(), now: () => time, sleep };
  expect((await run(Array(1_000).fill(lost), options)).outcome).toMatch(/^failure /);
  expect(time).toBeGreaterThanOrEqual(600_000);
  expect(time).toBeLessThan(620_000);
});

test("a failure of the server itself is not waited for", async () => {
  expect(await run(Array(9).fill(again), patient())).toMatchObject({ outcome: "failure 5", attempts: 5 });
});

test("a wait for the network ends at once with the reason of an interruption", async () => {
  const stop = new AbortController();
  const patience = {
    longestMilliseconds: 600_000,
    tries: 5,
    signal: stop.signal,
    onLost: () => stop.abort(new Error("Ctrl-C")),
    onResponse: () => {},
  };
  const failing = withRetries(() => Promise.reject(new Error("lost")), { tries: 5, patience, retryFor: () => lost });
  await expect(failing).rejects.toThrow("Ctrl-C");
});

test("Retry-After is waited for in full, and there is no retry if it is too long", async () => {
  expect(await run([{ why: "busy", afterMilliseconds: 7_000 }])).toMatchObject({ outcome: "done", waits: [7_000] });
  expect(await run([{ why: "busy", afterMilliseconds: 60_001 }])).toMatchObject({ outcome: "failure 1", waits: [] });
});

test("who was not told that the network is away is not told that it is back", async () => {
  const options = patient();
  await run([again], options);
  expect(options.said).toEqual([]);
});

const failed = (status: number, code = "internal_error") =>
  new ApiError({ code: code as ApiError["code"], detail: "", status });
const lostFor = (isTransient: boolean) => new NetworkError("No route.", { isTransient, isUnsent: false });

test.each<[string, unknown, boolean]>([
  ["429", failed(429), true],
  ["500", failed(500), true],
  ["503", failed(503), true],
  ["501, which nothing will change", failed(501), false],
  ["404", failed(404, "project_not_found"), false],
  ["an earlier try that is under way", failed(409, "idempotency_key_in_use"), true],
  ["another conflict", failed(409, "slug_taken"), false],
  ["a connection that broke", lostFor(true), true],
  ["a certificate that nobody trusts", lostFor(false), false],
  ["a fault of our own", new TypeError("undefined is not a function"), false],
])("%s: retried or not", (_, failure, isRetried) => {
  expect(retryFor(failure) !== undefined).toBe(isRetried);
});
