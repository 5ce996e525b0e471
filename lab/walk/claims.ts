import { releaseName } from "../../edge/project/pointer.ts";

/*
 * Claims that must be true of responses that overlap in time. Each request has the times at which it was sent and got its
 * response; it took effect somewhere in between. A claim is broken if no moment in between explains the responses.
 */

/** When a request was sent and when its response came, in milliseconds of one clock. */
export interface Span {
  readonly sentAt: number;
  readonly respondedAt: number;
}

/** A token and what was done to it. */
export interface TokenHistory {
  readonly created: Span;
  revocationSentAt?: number;
  revokedAt?: number;
}

/** "From its revocation on, every request with a token gets 401": what is wrong with a response to it. */
export function brokenByUse(token: TokenHistory, use: Span, status: number): string | undefined {
  const isRevoked = token.revokedAt !== undefined && token.revokedAt < use.sentAt;
  const isActive = token.revocationSentAt === undefined || use.respondedAt < token.revocationSentAt;
  if (isRevoked && status !== 401) return `a revoked token got ${status}`;
  if (isActive && status === 401) return "an active token got 401";
  return undefined;
}

/** When a project was deleted and restored. */
export interface DeletionHistory {
  deleted: Span;
  restored: Span;
}

/**
 * "A deleted project is gone with the next visit, and a restored one is back": what is wrong with a visit's response.
 */
export function brokenByDeletion(
  { deleted, restored }: DeletionHistory,
  visit: Span,
  status: number,
): string | undefined {
  const isDeleted = visit.sentAt > deleted.respondedAt && visit.respondedAt < restored.sentAt;
  const isThere = visit.respondedAt < deleted.sentAt || visit.sentAt > restored.respondedAt;
  if (isDeleted && status === 200) return "a deleted project was served";
  if (isThere && status !== 200) return `a project that is not deleted got ${status}`;
  return undefined;
}

/**
 * Whether a visit may get 503 although nothing fails: its function reads the pointer, finds none, and finds by its second read that there is
 * one. It cannot tell that from a store that fails, and only a game that is surely gone ends its players' workers (edge/project/viewer-project.ts).
 */
export function mayBeUnreadable({ restored }: DeletionHistory, visit: Span): boolean {
  return visit.sentAt < restored.respondedAt && visit.respondedAt > restored.sentAt;
}

/**
 * "The games' edge has what a project is": what is wrong with the value that its store has.
 *
 * @param project its item in the table
 */
export function brokenByPointer(
  project: Readonly<Record<string, unknown>>,
  value: string | undefined,
): string | undefined {
  const { slug, deletedAt, suspension, currentRelease } = project;
  const { manifest } = (currentRelease ?? {}) as { manifest?: string };
  if (deletedAt !== undefined) return value === undefined ? undefined : `the edge has ${value} of ${slug}, deleted`;
  if (suspension !== undefined) return value === "s" ? undefined : `the edge has ${value} of ${slug}, suspended`;
  const isRight =
    manifest === undefined
      ? value === undefined || value.startsWith("u")
      : value?.startsWith(`l.${releaseName(manifest)}.`);
  return isRight ? undefined : `the edge has ${value} of ${slug}, whose live manifest is ${manifest}`;
}

/** A publication by a token that was revoked meanwhile, and what was live after the revocation and after both. */
export interface RevokedPublication {
  readonly release: string;
  readonly status: number;
  readonly liveAfterRevocation: string | null;
  readonly liveAfterBoth: string | null;
}

/** "A revoked token changes nothing any more": what is wrong with a publication that raced with the revocation. */
export function brokenByRevocation(publication: RevokedPublication): string | undefined {
  const { release, status, liveAfterRevocation, liveAfterBoth } = publication;
  if (liveAfterBoth !== liveAfterRevocation) return `${release} went live after its token was revoked`;
  const expected = liveAfterBoth === release ? 200 : 401;
  return status === expected ? undefined : `the publication of ${release} got ${status}, and ${liveAfterBoth} is live`;
}

/** An attempt to create a token. */
export interface Creation extends Span {
  readonly status: number;
}

/** "Never more than the limit, and no refusal below it": what is wrong with the responses to all creations of an account. */
export function brokenByCreations(
  tokens: readonly TokenHistory[],
  creations: readonly Creation[],
  limit: number,
): string[] {
  return creations.flatMap(({ sentAt, respondedAt, status }) => {
    // Active for the whole time of the creation, or for a part of it, whatever the exact moments were.
    const surely = tokens.filter(
      ({ created, revocationSentAt = Infinity }) => created.respondedAt <= sentAt && revocationSentAt >= respondedAt,
    );
    const perhaps = tokens.filter(
      ({ created, revokedAt = Infinity }) => created.sentAt <= respondedAt && revokedAt >= sentAt,
    );
    if (status === 201 && surely.length >= limit) return [`a token was created beside ${surely.length} active ones`];
    if (status === 409 && perhaps.length < limit)
      return [`a token was refused beside at most ${perhaps.length} others`];
    return [];
  });
}

/** A release that replaced another one as the live one. */
export interface Publication extends Span {
  readonly release: string;
  readonly previous: string | null;
  /** Its response was lost or said that the service was in trouble: it may have happened, now or later, or not. */
  readonly isUncertain?: true;
}

/**
 * "One live release": of publications each of which expected the release before it, two followed the same one only if
 * that had gone live again in between.
 */
export function brokenByPublications(history: readonly Publication[]): string[] {
  const certain = history.filter(({ isUncertain }) => !isUncertain);
  const byPrevious = Map.groupBy(certain, ({ previous }) => previous);
  const returns = Map.groupBy(history, ({ release }) => release);
  return [...byPrevious].flatMap(([previous, followers]) => {
    const back = previous === null ? 0 : (returns.get(previous)?.length ?? 0);
    // It went live this many times, once more if nothing had been live at first, and was replaced at most as often.
    const stays = previous === null ? 1 : back;
    return followers.length <= stays
      ? []
      : [`${followers.length} releases took the place of ${previous}, live ${stays} times`];
  });
}

/** Release that a visitor saw. */
export interface Visit extends Span {
  readonly release: string;
}

/** "Visitors see the live release": what is wrong with what they saw. */
export function brokenByVisits(history: readonly Publication[], visits: readonly Visit[]): string[] {
  const certain = history.filter(({ isUncertain }) => !isUncertain);
  const goneBy = Map.groupBy(certain, ({ previous }) => previous);
  const backBy = Map.groupBy(history, ({ release }) => release);
  return visits.flatMap(({ release, sentAt, respondedAt }) => {
    const gone = (goneBy.get(release) ?? []).filter((next) => next.respondedAt < sentAt);
    const back = (backBy.get(release) ?? []).filter((publication) => publication.sentAt < respondedAt);
    return gone.length < back.length
      ? []
      : [`a visitor saw ${release}, which went live ${back.length} times and had gone`];
  });
}
