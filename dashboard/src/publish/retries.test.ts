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
function calling(codes: readonly ApiError["code"][], onCall = () => {}) {
  const left = [...codes];
  let calls = 0;
  const call = async () => {
    calls += 1;
    onCall();
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

test("only what a service refuses counts, and a pause is twice the one before it, at most 8 seconds", async () => {
  jest.spyOn(Math, "random").mockReturnValue(0);
  const at: number[] = [];
  const codes = [...Array(5).fill("unreachable"), "internal_error", "unreachable", "unreachable"];
  const { result } = calling(codes, () => at.push(Date.now()));
  await jest.advanceTimersByTimeAsync(60_000);
  expect(await result).toBe("done");
  const pauses = at.slice(1).map((time, index) => time - (at[index] ?? 0));
  expect(pauses).toEqual([250, 500, 1_000, 2_000, 4_000, 4_000, 4_000, 4_000]);
  jest.restoreAllMocks();
});

test("what succeeds at once says nothing of the network", async () => {
  expect(await calling([]).result).toBe("done");
  expect(offline).toEqual([]);
});

test.each<[string, ApiError["code"]]>([
  ["cannot be reached any more", "unreachable"],
  ["is refused", "quota_exceeded"],
])("a call that %s when it is cancelled ends as cancelled", async (_, code) => {
  const { result } = calling([code], () => stop.abort("cancelled"));
  expect(await result).toBe("cancelled");
  expect(offline).toEqual([]);
});

test("nothing is called once it is cancelled", async () => {
  stop.abort("cancelled");
  const { result, calls } = calling([]);
  expect(await result).toBe("cancelled");
  expect(calls()).toBe(0);
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
