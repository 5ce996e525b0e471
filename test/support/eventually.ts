import { setTimeout as delay } from "node:timers/promises";

const patienceMilliseconds = 20_000;

/** Repeats an assertion until it holds, for 20 seconds at most by default. @throws its last error */
export async function eventually(assert: () => unknown, milliseconds = patienceMilliseconds): Promise<void> {
  for (const end = Date.now() + milliseconds; ; await delay(50))
    try {
      return void (await assert());
    } catch (error) {
      if (Date.now() > end) throw error;
    }
}
