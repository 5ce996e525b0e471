import { setTimeout as delay } from "node:timers/promises";
import type { Client, ResponseTo } from "./client.ts";
import { UserError } from "./errors.ts";

/*
 * What svc profile does with telemetry grants.
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
): Promise<ResponseTo<"createTelemetryGrant">> {
  const make = async () =>
    await client.call("createTelemetryGrant", {
      params: { slug },
      body: { ...(release !== undefined && { release }) },
    });
  try {
    return await make();
  } catch (error) {
    if (release === undefined || !(error instanceof UserError && error.code === "preview_not_found")) throw error;
    const { makePreview } = await import("./publish/going-live.ts");
    await makePreview(client, { slug, id: release }, { name: undefined, newUrl: false });
    return await make();
  }
}

interface ProfileParams {
  readonly slug: string;
  readonly id: string;
}

/**
 * Shows the link and waits until nothing more comes: for so many seconds after something has, or until the link has ended, or until
 * Ctrl-C. Then it ends the link.
 */
export async function waitForProfile(
  client: Client,
  params: ProfileParams,
  { show, idleSeconds }: { readonly show: () => Promise<void>; readonly idleSeconds: number },
): Promise<void> {
  const stopped = new AbortController();
  const stop = () => stopped.abort();
  process.once("SIGINT", stop);
  try {
    await show();
    await waitUntilIdle(client, params, { idleSeconds, signal: stopped.signal });
  } finally {
    process.off("SIGINT", stop);
    await client.call("endTelemetryGrant", { params });
  }
}

async function waitUntilIdle(
  client: Client,
  { slug, id }: ProfileParams,
  { idleSeconds, signal }: { readonly idleSeconds: number; readonly signal: AbortSignal },
): Promise<void> {
  const pollMilliseconds = Math.min(longestPollMilliseconds, idleSeconds * 500);
  let last = { bytes: 0, at: performance.now() };
  while (!signal.aborted) {
    const { profiles } = await client.call("listProfiles", { params: { slug } });
    const profile = profiles.find((each) => each.id === id);
    if (profile === undefined || profile.grant_ends_at === null) return;
    if (profile.bytes > last.bytes) last = { bytes: profile.bytes, at: performance.now() };
    const isIdle = performance.now() - last.at > idleSeconds * 1_000;
    if (last.bytes > 0 && isIdle) return;
    await delay(pollMilliseconds, undefined, { signal }).catch(() => undefined);
  }
}
