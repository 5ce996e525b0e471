import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import { ApiError } from "../api-error.ts";
import { retried } from "./retries.ts";

/** The window, as far as it tells that the network is back. */
const page = new EventTarget();
const offline: boolean[] = [];
let stop: AbortController;

beforeEach(() => {
  jest.useFakeTimers();
  offline.length = 0;
  stop = new AbortController();
  const { addEventListener, removeEventListener } = page;
  Object.assign(globalThis, {
    addEventListener: addEventListener.bind(page),
    removeEventListener: removeEventListener.bind(page),
  });
});

afterEach(() => {
  jest.useRealTimers();
});

/** Calls what fails with these codes, one after the other, and then succeeds. */
function calling(codes: readonly ApiError["code"][]) {
  const left = [...codes];
  let calls = 0;
  const call = async () => {
    calls += 1;
    const code = left.shift();
    if (code !== undefined) throw new ApiError({ code, detail: "" });
    return "done";
  };
  const result = retried(call, { signal: stop.signal, onOffline: (isOffline) => offline.push(isOffline) }).catch(
    (error: unknown) => (error instanceof ApiError ? error.code : error),
  );
  return { result, calls: () => calls };
}

test.each<ApiError["code"]>([
  "unreachable",
  "temporarily_unavailable",
  "too_many_requests",
  "idempotency_key_in_use",
  "internal_error",
])("%s is tried again", async (code) => {
  const { result, calls } = calling([code]);
  await jest.advanceTimersByTimeAsync(1_000);
  expect(await result).toBe("done");
  expect(calls()).toBe(2);
});

test.each<ApiError["code"]>(["quota_exceeded", "validation_failed", "current_release_changed"])(
  "%s is not",
  async (code) => {
    const { result, calls } = calling([code]);
    expect(await result).toBe(code);
    expect(calls()).toBe(1);
  },
);

test("a service that has trouble is tried six times", async () => {
  const { result, calls } = calling(Array(10).fill("internal_error"));
  await jest.advanceTimersByTimeAsync(60_000);
  expect(await result).toBe("internal_error");
  expect(calls()).toBe(6);
});

test("a lost network is waited for, is told, and told when it is back", async () => {
  const { result, calls } = calling(Array(20).fill("unreachable"));
  await jest.advanceTimersByTimeAsync(20 * 12_000);
  expect(await result).toBe("done");
  expect(calls()).toBe(21);
  expect([offline[0], offline.at(-1)]).toEqual([true, false]);
});

test("when the network is back nobody waits for the rest of a pause", async () => {
  const { result, calls } = calling(["unreachable"]);
  await jest.advanceTimersByTimeAsync(0);
  page.dispatchEvent(new Event("online"));
  expect(await result).toBe("done");
  expect(calls()).toBe(2);
});

test("who cancels waits for nothing", async () => {
  const { result, calls } = calling(Array(20).fill("unreachable"));
  await jest.advanceTimersByTimeAsync(0);
  stop.abort("cancelled");
  expect(await result).toBe("cancelled");
  expect(calls()).toBe(1);
});
