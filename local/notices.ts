import { invokeSchedule } from "./functions.ts";
import type { Part } from "./part.ts";

/**
 * Delivers the notices that are due, as the deployed schedule does: to the log of this process.
 *
 * @param seconds between the end of one delivery and the next; 0: never
 */
export function startDeliveries(seconds: number): Pick<Part, "stop"> {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  const deliverLater = () => {
    timer = setTimeout(() => {
      running = invokeSchedule("deliver-notices")
        .catch((error: unknown) => console.error("Notices could not be delivered, and are tried again:", error))
        .then(() => {
          if (timer !== undefined) deliverLater();
        });
    }, seconds * 1_000);
  };
  if (seconds > 0) deliverLater();
  return {
    stop: async () => {
      clearTimeout(timer);
      timer = undefined;
      await running;
    },
  };
}
