import { serverNow, wasReplaced } from "../contract/api/time/server-time.ts";
import type { Client, ResponseBody } from "../contract/client.ts";
import { wait } from "../contract/retries.ts";

/** Whether the hosts where games are played have a release; null if the stage has no such hosts. */
export type Edge = ResponseBody<"publishRelease">["edge"];

export interface ReleaseParams {
  readonly slug: string;
  readonly id: string;
}

/** Result of making a release live, or of opening its preview. */
export interface Activation {
  readonly release: ResponseBody<"publishRelease">["release"];
  /** Null if none was live, and for a preview. */
  readonly previousRelease: string | null;
  readonly playUrl: string | null;
  /** The release that goes live by itself no more, because of this, and when it would have. */
  readonly endedSchedule?: ResponseBody<"publishRelease">["ended_schedule"];
  readonly edge: Edge;
  /** When a preview expires; null for a release that is live. */
  readonly expiresAt: string | null;
  /** Set if the release waits, because a person makes live in its project: the page on which one does; null if the stage has none. */
  readonly review?: { readonly url: string | null };
}

/** The release went live, the response was lost, and something else has taken its place since. The clients have the words for it. */
export class ReleaseReplaced extends Error {
  override readonly name = "ReleaseReplaced";
  readonly id: string;

  constructor(id: string) {
    super(id);
    this.id = id;
  }
}

/**
 * Makes a release live, or lets it wait where a person makes live. If a response was lost, the release may have gone live; it does not come back over one that took its place since.
 *
 * @throws ApiError; ReleaseReplaced
 */
export async function activateRelease(
  client: Client,
  params: ReleaseParams,
  { expectCurrent, replacesLaterRun }: LivePlace,
): Promise<Activation> {
  const began = serverNow();
  const beforeRepeat = async () => {
    const release = await client.call("GET /projects/:slug/releases/:id", { params });
    if (wasReplaced(release, began)) throw new ReleaseReplaced(params.id);
  };
  const publish = (expected: string | null | undefined, more: { beforeRepeat?(): Promise<void> } = {}) => {
    const body = {
      ...(expected !== undefined && { expect_current: expected }),
      ...(replacesLaterRun && { replace_later_run: true }),
    };
    return client.call("POST /projects/:slug/releases/:id/publish", { params, body, ...more });
  };
  const made = await publish(expectCurrent, { beforeRepeat });
  const { release, previous_release: previousRelease, ended_schedule: endedSchedule, review_url: url, edge } = made;
  return {
    ...{ release, previousRelease, playUrl: release.play_url, expiresAt: null, endedSchedule },
    ...(release.status !== "live" && { review: { url } }),
    // It expects this release to be live, so that it never brings it back if another one has replaced it.
    edge: await untilEdgeHasIt(edge, async () => (await publish(params.id)).edge),
  };
}

/** A preview that is to be opened. */
export interface PreviewSettings {
  /** Undefined: a URL for this release alone. */
  readonly name?: string | undefined;
  /** Whether the preview of this name gets a new URL. */
  readonly newUrl?: boolean;
}

/** Opens the preview of an open release, or shows the release at the URL of the one with this name. @throws ApiError */
export async function activatePreview(
  client: Client,
  params: ReleaseParams,
  { name, newUrl }: PreviewSettings = {},
): Promise<Activation> {
  const named = name === undefined ? {} : { name };
  const open = (body: object) => client.call("POST /projects/:slug/releases/:id/preview", { params, body });
  const { preview, edge } = await open({ ...named, ...(newUrl && { new_url: true }) });
  return {
    ...{ release: preview.release, previousRelease: null, playUrl: preview.url, expiresAt: preview.expires_at },
    // The URL is not to change once more.
    edge: await untilEdgeHasIt(edge, async () => (await open(named)).edge),
  };
}

/** Place of the live release. */
export interface LivePlace {
  /** Only if this release is live; null: only if none is; undefined: in any case. */
  readonly expectCurrent: string | null | undefined;
  /** Whether a CI job takes the place of a later run's release too. */
  readonly replacesLaterRun?: boolean;
}

/** Where players see a release: in place of the live one, or at the URL of a preview. */
export type Destination = LivePlace | { readonly preview: PreviewSettings };

/** Makes a release live or opens its preview, as {@link activateRelease} and {@link activatePreview} do. */
export async function activate(client: Client, params: ReleaseParams, destination: Destination): Promise<Activation> {
  if ("preview" in destination) return await activatePreview(client, params, destination.preview);
  return await activateRelease(client, params, destination);
}

const pausesSeconds = [1, 2, 4];

/** Requests a change again for some seconds. It never fails, because the change itself has succeeded. */
export async function untilEdgeHasIt(edge: Edge, again: () => Promise<Edge>): Promise<Edge> {
  let last = edge;
  try {
    for (const seconds of pausesSeconds) {
      if (last !== "waiting") break;
      await wait(seconds * 1_000);
      last = await again();
    }
  } catch {
    // Another release is live by now, or the API cannot be reached: nothing more is known.
  }
  return last;
}
