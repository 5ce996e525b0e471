import { serverNow, wasReplaced } from "../contract/api/time/server-time.ts";
import type { Client, ResponseBody } from "../contract/client.ts";
import { wait } from "../contract/retries.ts";

/** Whether the hosts where games are played have a release; null if the stage has no such hosts. */
export type Edge = ResponseBody<"publishRelease">["edge"];

export interface ReleaseParams {
  readonly slug: string;
  readonly id: string;
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
 * Makes a release live. If a response was lost, the release may have gone live; it does not come back over one that took its place since.
 *
 * @param expectCurrent only if this release is live; null: only if none is; undefined: in any case
 * @throws ApiError; ReleaseReplaced
 */
export async function activateRelease(client: Client, params: ReleaseParams, expectCurrent: string | null | undefined) {
  const began = serverNow();
  const beforeRepeat = async () => {
    const release = await client.call("GET /projects/:slug/releases/:id", { params });
    if (wasReplaced(release, began)) throw new ReleaseReplaced(params.id);
  };
  const publish = (expected: string | null | undefined, more: { beforeRepeat?(): Promise<void> } = {}) => {
    const body = expected === undefined ? {} : { expect_current: expected };
    return client.call("POST /projects/:slug/releases/:id/publish", { params, body, ...more });
  };
  const made = await publish(expectCurrent, { beforeRepeat });
  // It expects this release to be live, so that it never brings it back if another one has replaced it.
  return { ...made, edge: await untilEdgeHasIt(made.edge, async () => (await publish(params.id)).edge) };
}

/** A preview that is to be opened. */
export interface PreviewSettings {
  /** Undefined: a URL for this release alone. */
  readonly name?: string | undefined;
  /** Whether the preview of this name gets a new URL. */
  readonly newUrl?: boolean;
}

/** Opens the preview of an open release, or shows the release at the URL of the one with this name. @throws ApiError */
export async function activatePreview(client: Client, params: ReleaseParams, { name, newUrl }: PreviewSettings = {}) {
  const named = name === undefined ? {} : { name };
  const open = (body: object) => client.call("POST /projects/:slug/releases/:id/preview", { params, body });
  const opened = await open({ ...named, ...(newUrl && { new_url: true }) });
  // The URL is not to change once more.
  return { ...opened, edge: await untilEdgeHasIt(opened.edge, async () => (await open(named)).edge) };
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
