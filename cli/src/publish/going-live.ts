import { setTimeout as delay } from "node:timers/promises";
import type { Client, ResponseTo } from "../client.ts";

/** Whether the hosts where games are played have a release; null where the API tells no such hosts. */
export type Edge = ResponseTo<"publishRelease">["edge"];

/** What to say where they do not have it. */
export const notSeenYet =
  "It cannot be played yet: the hosts where games are played do not have it. svc goes on trying; there is nothing to do.";

/** The same of what shall not be played any more. */
export const stillPlayed =
  "It can still be played: the hosts where games are played do not know it yet. svc goes on trying; there is nothing to do.";

/** How a release was made live, or its preview opened. */
export interface Activation {
  readonly previousRelease: string | null;
  readonly playUrl: string | null;
  readonly edge: Edge;
  /** When a preview ends; null for a release that is live. */
  readonly endsAt: string | null;
}

interface ReleaseParams {
  readonly slug: string;
  readonly id: string;
}

/**
 * Makes a release live.
 *
 * @param expectCurrent only if this release is live; null: only if none is; undefined: in any case
 * @throws ApiError
 */
export async function makeLive(client: Client, params: ReleaseParams, expectCurrent: string | null | undefined) {
  const body = expectCurrent === undefined ? {} : { expect_current: expectCurrent };
  const { release, previous_release: previousRelease, edge } = await client.call("publishRelease", { params, body });
  // That it is live is expected, so that asking never brings it back where another one has replaced it.
  const again = async () => (await client.call("publishRelease", { params, body: { expect_current: params.id } })).edge;
  const playUrl = release.play_url ?? null;
  return { release, previousRelease, playUrl, edge: await untilEdgeHasIt(edge, again), endsAt: null };
}

/** Opens the preview of an open release. @throws ApiError */
export async function makePreview(client: Client, params: ReleaseParams): Promise<Activation> {
  const open = async () => await client.call("openPreview", { params });
  const { preview, edge } = await open();
  const last = await untilEdgeHasIt(edge, async () => (await open()).edge);
  return { previousRelease: null, playUrl: preview.url, edge: last, endsAt: preview.expires_at };
}

const pausesSeconds = [1, 2, 4];

/** Asks again for some seconds. It never fails, because what was asked for has happened. */
export async function untilEdgeHasIt(edge: Edge, again: () => Promise<Edge>): Promise<Edge> {
  let last = edge;
  try {
    for (const seconds of pausesSeconds) {
      if (last !== "waiting") break;
      await delay(seconds * 1_000);
      last = await again();
    }
  } catch {
    // Another release is live by now, or the API cannot be reached: nothing more is known.
  }
  return last;
}
