import { invokeSchedule } from "./gateway/functions.ts";
import type { Part } from "./part.ts";

/**
 * Runs a function that is deployed on a schedule, in this process.
 *
 * @param name the name of its bundle
 * @param seconds between the end of one run and the next; 0: never
 */
export function startSchedule(name: string, seconds: number): Pick<Part, "stop"> {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  const runLater = () => {
    timer = setTimeout(() => {
      running = invokeSchedule(name)
        .catch((error: unknown) => console.error(`${name} failed, and is tried again:`, error))
        .then(() => {
          if (timer !== undefined) runLater();
        });
    }, seconds * 1_000);
  };
  if (seconds > 0) runLater();
  return {
    stop: async () => {
      clearTimeout(timer);
      timer = undefined;
      await running;
    },
  };
}
