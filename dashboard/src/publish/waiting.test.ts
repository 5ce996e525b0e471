import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import { withRetries } from "../../../contract/retries.ts";
import { unreachable } from "../unreachable.ts";
import { patienceOf } from "./waiting.ts";

/* What a publication does on a page while the network is away; how retries wait is in contract/retries.test.ts. */

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

/** Calls what finds no network so often, and then succeeds. */
function calling(losses: number) {
  let calls = 0;
  const call = async () => {
    calls += 1;
    if (calls <= losses) throw unreachable("Lost.");
    return "done";
  };
  const patience = patienceOf({ signal: stop.signal, onOffline: (isOffline) => offline.push(isOffline) });
  const result = withRetries(call, { tries: patience.tries, patience }).catch((error: unknown) => error);
  return { result, calls: () => calls };
}

test("a lost network is waited for as long as it takes, is told, and told when it is back", async () => {
  const { result, calls } = calling(20);
  await jest.advanceTimersByTimeAsync(20 * 12_000);
  expect(await result).toBe("done");
  expect({ calls: calls(), first: offline[0], last: offline.at(-1) }).toEqual({ calls: 21, first: true, last: false });
});

test("when the network is back nobody waits for the rest of a pause", async () => {
  const { result, calls } = calling(1);
  await jest.advanceTimersByTimeAsync(0);
  page.dispatchEvent(new Event("online"));
  expect({ result: await result, calls: calls() }).toEqual({ result: "done", calls: 2 });
});

test("who cancels waits for nothing", async () => {
  const { result, calls } = calling(20);
  await jest.advanceTimersByTimeAsync(0);
  stop.abort("cancelled");
  expect({ result: await result, calls: calls() }).toEqual({ result: "cancelled", calls: 1 });
});
