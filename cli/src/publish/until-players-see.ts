import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "../client.ts";

/** What the API says of the hosts where games are played. */
export type Edge = Awaited<ReturnType<typeof publishAgain>>;

/** What to say where players do not see a release yet. */
export const notSeenYet =
  "Players do not see it yet: the hosts where games are played do not have it. svc goes on trying; there is nothing to do.";

const pausesSeconds = [1, 2, 4];

/**
 * Waits some seconds for a release that is live to reach the hosts where games are played. It never fails, because the release is
 * live, and never makes it live once more where another one is by now.
 *
 * @param edge what the response said that made it live
 */
export async function untilPlayersSee(
  client: Client,
  params: { readonly slug: string; readonly id: string },
  edge: Edge,
): Promise<Edge> {
  let last = edge;
  try {
    for (const seconds of pausesSeconds) {
      if (last !== "waiting") break;
      await delay(seconds * 1_000);
      last = await publishAgain(client, params);
    }
  } catch {
    // Another release is live by now, or the API cannot be reached: nothing more is known.
  }
  return last;
}

async function publishAgain(client: Client, params: { readonly slug: string; readonly id: string }) {
  const { edge } = await client.call("publishRelease", { params, body: { expect_current: params.id } });
  return edge;
}
