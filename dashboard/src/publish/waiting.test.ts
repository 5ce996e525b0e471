import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import { ApiError } from "../../../contract/api-error.ts";
import { withRetries } from "../../../contract/retries.ts";
import { unreachable } from "../unreachable.ts";
import { patienceOf } from "./waiting.ts";

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

const lost = unreachable("Lost.");
const trouble = new ApiError({ code: "internal_error", detail: "Trouble.", status: 500 });

/** Calls what fails so, one after the other, and then succeeds. */
function calling(failures: readonly Error[]) {
  const left = [...failures];
  let calls = 0;
  const call = async () => {
    calls += 1;
    const failure = left.shift();
    if (failure !== undefined) throw failure;
    return "done";
  };
  const patience = patienceOf({ signal: stop.signal, onOffline: (isOffline) => offline.push(isOffline) });
  const result = withRetries(call, { tries: patience.tries, patience }).catch((error: unknown) =>
    error instanceof Error ? error.message : error,
  );
  return { result, calls: () => calls };
}

test("a service that has trouble is tried six times", async () => {
  const { result, calls } = calling(Array(10).fill(trouble));
  await jest.advanceTimersByTimeAsync(60_000);
  expect(await result).toBe("Trouble.");
  expect(calls()).toBe(6);
});

test("a lost network is waited for, is told, and told when it is back", async () => {
  const { result, calls } = calling(Array(20).fill(lost));
  await jest.advanceTimersByTimeAsync(20 * 12_000);
  expect(await result).toBe("done");
  expect(calls()).toBe(21);
  expect([offline[0], offline.at(-1)]).toEqual([true, false]);
});

test("what succeeds at once says nothing of the network", async () => {
  expect(await calling([]).result).toBe("done");
  expect(offline).toEqual([]);
});

test("when the network is back nobody waits for the rest of a pause", async () => {
  const { result, calls } = calling([lost]);
  await jest.advanceTimersByTimeAsync(0);
  page.dispatchEvent(new Event("online"));
  expect(await result).toBe("done");
  expect(calls()).toBe(2);
});

test("who cancels waits for nothing", async () => {
  const { result, calls } = calling(Array(20).fill(lost));
  await jest.advanceTimersByTimeAsync(0);
  stop.abort("cancelled");
  expect(await result).toBe("cancelled");
  expect(calls()).toBe(1);
});
