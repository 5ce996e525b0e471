import type { Client } from "../../../contract/client.ts";
import {
  type Activation,
  activateRelease,
  type ReleaseParams,
  ReleaseReplaced,
} from "../../../publisher/going-live.ts";
import type { Expectation } from "../../../publisher/publish.ts";
import { exitCodes, UserError } from "../errors.ts";
import { minute, printable } from "../text.ts";

/** Message if the hosts where games are played do not have a release. */
export const notSeenYet =
  "It cannot be played yet: the hosts where games are played do not have it. " +
  "The service keeps retrying; you need not do anything.";

/** The same of what shall not be played any more. */
export const stillPlayed =
  "It can still be played: the hosts where games are played do not know it yet. " +
  "The service keeps retrying; you need not do anything.";

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
 * Makes a release live, or lets it wait where a person makes live.
 *
 * @param expectCurrent only if this release is live; null: only if none is; undefined: in any case
 * @throws ApiError; UserError `current_release_changed` if it went live and does not live any more
 */
export async function makeLive(
  client: Client,
  params: ReleaseParams,
  expectCurrent: string | null | undefined,
): Promise<Activation> {
  return await activateRelease(client, params, { expectCurrent }).catch((failure: unknown) => {
    throw failure instanceof ReleaseReplaced ? explainReplaced(failure) : failure;
  });
}

export function explainReplaced({ id }: ReleaseReplaced): UserError {
  return new UserError(
    `Release ${id} went live, the response was lost, and something else has taken its place since.`,
    { code: "current_release_changed", exitCode: exitCodes.conflict, next: "svc releases shows what is live." },
  );
}

/** What a person reads of a release that goes live by itself no more, because another one is live now. */
export function endedScheduleLines({ endedSchedule }: Pick<Activation, "endedSchedule">): string[] {
  if (!endedSchedule) return [];
  const { release, at } = endedSchedule;
  return [`Release ${release}, which was scheduled for ${minute(at)} UTC, does not go live by itself any more.`];
}

/** What a person reads of a release that waits, and where to make it live. */
export function waitingLines(slug: string, { url }: NonNullable<Activation["review"]>): string[] {
  return [
    `It waits: in ${slug} a person makes live, and players keep what is live until then.`,
    url === null ? "Make it live in the dashboard." : printable(url),
  ];
}
