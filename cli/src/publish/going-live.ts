import { setTimeout as delay } from "node:timers/promises";
import { serverNow, wasReplaced } from "../../../contract/api/time/server-time.ts";
import type { Client, ResponseBody } from "../../../contract/client.ts";
import { exitCodes, UserError } from "../errors.ts";

/** Whether the hosts where games are played have a release; null if the stage has no such hosts. */
export type Edge = ResponseBody<"publishRelease">["edge"];

/** Message if they do not have it. */
export const notSeenYet =
  "It cannot be played yet: the hosts where games are played do not have it. " +
  "The service keeps retrying; you need not do anything.";

/** The same of what shall not be played any more. */
export const stillPlayed =
  "It can still be played: the hosts where games are played do not know it yet. " +
  "The service keeps retrying; you need not do anything.";

/** Result of making a release live, or of opening its preview. */
export interface Activation {
  /** Number of the release; null if it was never live. */
  readonly number: number | null;
  readonly previousRelease: string | null;
  readonly playUrl: string | null;
  readonly edge: Edge;
  /** When a preview expires; null for a release that is live. */
  readonly expiresAt: string | null;
}

interface ReleaseParams {
  readonly slug: string;
  readonly id: string;
}

/**
 * Release that must be live for another one to replace it: the one that --expect-current names (none: null, any: undefined), or without it
 * the one that is live now.
 */
export async function expectedRelease(client: Client, slug: string, flag: string | undefined) {
  if (flag !== undefined) return flag === "any" ? undefined : flag === "none" ? null : flag;
  return (await client.call("GET /projects/:slug", { params: { slug } })).current_release?.id ?? null;
}

/**
 * Makes a release live. If a response was lost, the release may have gone live; it does not come back over one that took its place since.
 *
 * @param expectCurrent only if this release is live; null: only if none is; undefined: in any case
 * @throws ApiError; UserError `current_release_changed` if it went live and does not live any more
 */
export async function makeLive(client: Client, params: ReleaseParams, expectCurrent: string | null | undefined) {
  const body = expectCurrent === undefined ? {} : { expect_current: expectCurrent };
  const begun = serverNow();
  const beforeRepeat = async () =>
    assertNotReplaced(await client.call("GET /projects/:slug/releases/:id", { params }), begun);
  const made = await client.call("POST /projects/:slug/releases/:id/publish", { params, body, beforeRepeat });
  const { release, previous_release: previousRelease, edge } = made;
  // The request expects this release to be live, so that a retry never brings it back if another one has replaced it.
  const again = async () =>
    (await client.call("POST /projects/:slug/releases/:id/publish", { params, body: { expect_current: params.id } }))
      .edge;
  const { number, play_url: playUrl = null } = release;
  return { release, number, previousRelease, playUrl, edge: await untilEdgeHasIt(edge, again), expiresAt: null };
}

function assertNotReplaced(release: ResponseBody<"getRelease">, begun: number): void {
  const { id } = release;
  if (!wasReplaced(release, begun)) return;
  throw new UserError(`Release ${id} went live, the response was lost, and something else has taken its place since.`, {
    code: "current_release_changed",
    exitCode: exitCodes.conflict,
    next: "svc releases shows what is live.",
  });
}

/** A preview that is to be opened. */
export interface PreviewSettings {
  /** Undefined: a URL for this release alone. */
  readonly name: string | undefined;
  /** Whether the preview of this name gets a new URL. */
  readonly newUrl: boolean;
}

/** Opens the preview of an open release, or shows the release at the URL of the one with this name. @throws ApiError */
export async function makePreview(
  client: Client,
  params: ReleaseParams,
  { name, newUrl }: PreviewSettings,
): Promise<Activation> {
  const named = name === undefined ? {} : { name };
  const open = async (body: object) => await client.call("POST /projects/:slug/releases/:id/preview", { params, body });
  const { preview, edge } = await open({ ...named, ...(newUrl && { new_url: true }) });
  // The URL is not to change once more.
  const last = await untilEdgeHasIt(edge, async () => (await open(named)).edge);
  const { number } = preview.release;
  return { number, previousRelease: null, playUrl: preview.url, edge: last, expiresAt: preview.expires_at };
}

const pausesSeconds = [1, 2, 4];

/** Requests it again for some seconds. It never fails, because the change itself has succeeded. */
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
