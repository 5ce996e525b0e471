import type { Client } from "../../../contract/client.ts";
import {
  activatePreview,
  activateRelease,
  type Edge,
  type PreviewSettings,
  type ReleaseParams,
  ReleaseReplaced,
} from "../../../publisher/going-live.ts";
import { exitCodes, UserError } from "../errors.ts";

/** Message if the hosts where games are played do not have a release. */
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

/**
 * Release that must be live until the new one is: this one; null: none; undefined: the one that the files were compared with, so that of
 * two publications at once the later does not take back the changes of the earlier one; false: whichever.
 */
export type Expectation = string | null | undefined | false;

/** The API finds a live release whatever is expected, so that a request can be sent twice. A person expects a refusal. */
export function assertExpected(live: string, expected: Expectation): void {
  if (expected === undefined || expected === false || expected === live) return;
  throw new UserError(`Release ${live} is live, not ${expected ?? "none"}. It has the files of this folder already.`, {
    code: "current_release_changed",
    exitCode: exitCodes.conflict,
    next: "Nothing is left to publish: leave --expect-current out, or expect the live release.",
  });
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
 * Makes a release live.
 *
 * @param expectCurrent only if this release is live; null: only if none is; undefined: in any case
 * @throws ApiError; UserError `current_release_changed` if it went live and does not live any more
 */
export async function makeLive(client: Client, params: ReleaseParams, expectCurrent: string | null | undefined) {
  const made = await activateRelease(client, params, expectCurrent).catch(explainReplaced);
  const { release, previous_release: previousRelease, edge } = made;
  const { number, play_url: playUrl = null } = release;
  return { release, number, previousRelease, playUrl, edge, expiresAt: null };
}

function explainReplaced(failure: unknown): never {
  if (!(failure instanceof ReleaseReplaced)) throw failure;
  throw new UserError(
    `Release ${failure.id} went live, the response was lost, and something else has taken its place since.`,
    { code: "current_release_changed", exitCode: exitCodes.conflict, next: "svc releases shows what is live." },
  );
}

/** Opens the preview of an open release, or shows the release at the URL of the one with this name. @throws ApiError */
export async function makePreview(
  client: Client,
  params: ReleaseParams,
  settings: PreviewSettings = {},
): Promise<Activation> {
  const { preview, edge } = await activatePreview(client, params, settings);
  const { url: playUrl, expires_at: expiresAt, release } = preview;
  return { number: release.number, previousRelease: null, playUrl, edge, expiresAt };
}
