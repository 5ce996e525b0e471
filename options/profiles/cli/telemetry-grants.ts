import { setTimeout as delay } from "node:timers/promises";
import { ApiError } from "../../../contract/api-error.ts";
import type { Client, ResponseBody } from "../../../contract/client.ts";

/*
 * Work of svc profile with telemetry grants.
 */

const longestPollMilliseconds = 2_000;

/**
 * Makes the link that profiles a release; one that cannot be played gets a preview first.
 *
 * @param release its id; undefined: the live one
 */
export async function makeGrant(
  client: Client,
  slug: string,
  release: string | undefined,
): Promise<ResponseBody<"createTelemetryGrant">> {
  const make = async () =>
    await client.call("POST /projects/:slug/telemetry-grants", {
      params: { slug },
      body: { ...(release !== undefined && { release }) },
    });
  try {
    return await make();
  } catch (error) {
    if (release === undefined || !(error instanceof ApiError && error.code === "preview_not_found")) throw error;
    const { activatePreview } = await import("../../../publisher/going-live.ts");
    await activatePreview(client, { slug, id: release });
    return await make();
  }
}

interface ProfileParams {
  readonly slug: string;
  readonly id: string;
}

interface Patience {
  readonly show: () => Promise<void>;
  /** Time that a device has for opening the link. */
  readonly waitSeconds: number;
  /** Time of silence, after something has come, until the profile is over. */
  readonly idleSeconds: number;
}

/**
 * Shows the link and waits until nothing more comes, no device has opened it in time, the link has ended, or Ctrl-C. Then it ends the
 * link.
 */
export async function waitForProfile(
  client: Client,
  params: ProfileParams,
  { show, ...patience }: Patience,
): Promise<void> {
  const stopped = new AbortController();
  const stop = () => stopped.abort();
  process.once("SIGINT", stop);
  try {
    await show();
    await waitUntilIdle(client, params, { ...patience, signal: stopped.signal });
  } finally {
    process.off("SIGINT", stop);
    await client.call("DELETE /projects/:slug/telemetry-grants/:id", { params, empty: true });
  }
}

async function waitUntilIdle(
  client: Client,
  { slug, id }: ProfileParams,
  { waitSeconds, idleSeconds, signal }: Omit<Patience, "show"> & { readonly signal: AbortSignal },
): Promise<void> {
  const pollMilliseconds = Math.min(longestPollMilliseconds, waitSeconds * 500, idleSeconds * 500);
  let last = { bytes: 0, at: performance.now() };
  while (!signal.aborted) {
    const { profiles } = await client.call("GET /projects/:slug/profiles", { params: { slug } });
    const profile = profiles.find((each) => each.id === id);
    if (profile === undefined || profile.grant_ends_at === null) return;
    if (profile.bytes > last.bytes) last = { bytes: profile.bytes, at: performance.now() };
    const seconds = (performance.now() - last.at) / 1_000;
    if (seconds > (last.bytes > 0 ? idleSeconds : waitSeconds)) return;
    await delay(pollMilliseconds, undefined, { signal }).catch(() => undefined);
  }
}
