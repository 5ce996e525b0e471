import { ConflictError } from "../../conflict.ts";
import type { Decisions } from "../../entities/decisions.ts";
import type { CachedPlaces, CurrentRelease, Project, Schedule } from "../../entities/project.ts";
import type { JobRun } from "../../entities/publisher.ts";
import type { Release } from "../../entities/release.ts";
import type { Publisher, Token } from "../../entities/token.ts";
import { asRead, itemExists, setAttributes } from "../expressions.ts";
import { keys, ranges } from "../keys.ts";
import { type ProjectChange, projectEventWrites, releaseEvent } from "../projects/history.ts";
import { pointerWrites } from "../projects/pointer-items.ts";
import { endingPreviewsOf } from "../projects/preview-items.ts";
import { openCondition, trustCheck, unchangedCondition } from "../projects/project-items.ts";
import { readItems, readRange, type Slice } from "../read.ts";
import { activeTokenCheck } from "../tokens/token-items.ts";
import { change, check, transact, tryTransact } from "../transaction.ts";
import { type OpenRelease, releaseClosed, sameFilesCheck } from "./open-releases.ts";
import { scheduleEndedByMove } from "./schedule-items.ts";

export async function readRelease(slug: string, releaseId: string): Promise<Release | undefined> {
  const [release] = await readItems([keys.release(slug, releaseId)]);
  return release;
}

/** Releases of a project, newest first. */
export async function readReleases(slug: string, slice: Slice) {
  return await readRange(ranges.releases(slug), slice, { isDescending: true });
}

/** Releases that a visit can be behind the live one. */
const keptEarlier = 20;

/** Manifests that were live before, when the release with this manifest goes live. */
function earlierOf({ currentRelease }: Project, manifest: string): string[] {
  if (currentRelease === undefined) return [];
  const digests = [currentRelease.manifest, ...(currentRelease.earlier ?? [])];
  return [...new Set(digests)].filter((digest) => digest !== manifest).slice(0, keptEarlier);
}

/** The manifest of the release that this newer one follows. The order of ids is that of creation. */
function fallbackOf({ currentRelease }: Project, { id, manifest }: Release): Pick<CurrentRelease, "fallback"> {
  const isUpdate = currentRelease !== undefined && currentRelease.id < id && currentRelease.manifest !== manifest;
  return isUpdate ? { fallback: currentRelease.manifest } : {};
}

/** Run that the live release comes from, as the project keeps it. */
function runOf({ by: { accountKey }, run }: NonNullable<Release["firstPublished"]>): Pick<CurrentRelease, "run"> {
  if (run === undefined) return {};
  const { repository, commit, runUrl } = run;
  return { run: { repository, commit, runUrl, accountKey } };
}

/** A project and its release after that went live. */
interface MovedRelease {
  readonly project: Project;
  readonly currentRelease: CurrentRelease;
  readonly release: Release;
  /** The schedule of another release, which this ended. */
  readonly endedSchedule: Schedule | undefined;
}

/**
 * Makes a release the live one, provided that the project is as it was read. The project's pointer, the release and the
 * event change in one transaction, so that visitors see either release whole. One that goes live for the first time gets the
 * project's next number in it.
 *
 * @returns undefined if a release with the same files and settings was withdrawn
 */
export async function moveCurrentRelease(move: {
  project: Project;
  release: Release;
  publishedBy: Publisher;
  /** The token by which it is moved. */
  token: Token | undefined;
  /** The run that uploaded it, if it makes it live for the first time. */
  run: JobRun | undefined;
  /** Places that the edge's cache keeps. */
  places: CachedPlaces;
  /** The path of the picture that is shown of it. */
  picture: string | undefined;
  /** Undefined: what was decided for the project stays. */
  decided: Decisions | undefined;
  now: Date;
}): Promise<MovedRelease | undefined> {
  const { project, release, publishedBy, token, run, places, picture, decided, now } = move;
  const { slug } = project;
  const made = { by: publishedBy.accountKey, token, now };
  const { id, manifest, filesDigest } = release;
  const publishedAt = now.toISOString();
  const { firstPublished = { at: publishedAt, by: publishedBy, ...(run && { run }) } } = release;
  const previous = project.currentRelease?.id ?? null;
  const shown = { ...fallbackOf(project, release), ...runOf(firstPublished), ...(picture && { picture }) };
  const digests = { manifest, ...(filesDigest && { filesDigest }) };
  const next = { id, ...digests, publishedAt, previous, earlier: earlierOf(project, manifest), places, ...shown };
  const unchanged = unchangedCondition(project);
  const wasOpen = release.publishedAt === undefined;
  const { numbered = 0 } = project;
  const { number = numbered + 1 } = release;
  const isPreviewed = project.previews?.some((preview) => preview.releaseId === id) ?? false;
  const act = wasOpen ? (isPreviewed ? "promotion" : "publication") : "roll_back";
  const ending = scheduleEndedByMove(project, { id, act }, made);
  const promoted = endingPreviewsOf(project, new Set([manifest]), false);
  const assignments = ["currentRelease = :next", "numbered = :numbered", "updatedAt = :now", ...promoted.sets];
  const sets = [...assignments, ...(decided ? ["decided = :decided"] : [])].join(", ");
  const failed = await tryTransact({
    token: activeTokenCheck(token, now),
    project: change(
      keys.project(slug),
      `SET ${sets}${wasOpen ? " ADD openReleases :less" : ""}${ending?.remove ?? ""}`,
      unchanged,
      promoted,
      {
        values: {
          ":next": next,
          ":now": publishedAt,
          ":numbered": Math.max(numbered, number),
          ...(wasOpen && { ":less": -1 }),
          ...(decided && { ":decided": decided }),
        },
      },
    ),
    // Releases that were live once do not expire.
    release: change(
      keys.release(slug, id),
      "SET publishedAt = :now, publishedBy = :by, firstPublished = :first, #number = :number REMOVE #ttl, #reserved, #describedBy, #waiting",
      itemExists,
      asRead({ withdrawnAt: undefined, ...(wasOpen && { ttl: release.ttl }) }),
      { values: { ":now": publishedAt, ":by": publishedBy, ":first": firstPublished, ":number": number } },
    ),
    event: projectEventWrites(project, made, releaseEvent("release_published", { ...release, number }, made, { act })),
    endedSchedule: ending?.event,
    pointer: pointerWrites([slug], now, promoted.ended),
    openManifest: [
      wasOpen
        ? releaseClosed(slug, release)
        : check(keys.openManifest(slug, manifest), { condition: "attribute_not_exists(withdrawnAt)" }),
      sameFilesCheck(slug, release),
    ],
  });
  if (failed?.name === "openManifest" && failed.item?.withdrawnAt !== undefined) return undefined;
  if (failed) throw new ConflictError();
  const { schedule, ...others } = project;
  return {
    project: { ...(ending ? others : project), currentRelease: next },
    currentRelease: next,
    release: { ...release, publishedAt, publishedBy, firstPublished, number },
    endedSchedule: ending && schedule?.releaseId !== id ? schedule : undefined,
  };
}

/**
 * Lets an open release wait for a person, provided that it is still open and the project is as it was read: what is live stays.
 *
 * @param token the token by which it was published
 */
export async function markReleaseWaiting(
  project: Project,
  release: OpenRelease,
  { by, token, now }: { readonly by: Publisher; readonly token: Token; readonly now: Date },
): Promise<Release> {
  const { slug } = project;
  const { id, ttl } = release;
  const waiting = { since: now.toISOString(), by };
  const made = { by: by.accountKey, token, now };
  await transact({
    token: activeTokenCheck(token, now),
    project: trustCheck(project, token),
    release: change(keys.release(slug, id), { waiting }, asRead({ ttl, waiting: undefined, withdrawnAt: undefined })),
    event: projectEventWrites(project, made, releaseEvent("release_waiting", release, made)),
  });
  return { ...release, waiting };
}

/**
 * Changes what is said of a release, provided that the project has the people that it had and the release is as it was read.
 *
 * @param edit undefined as its message: nothing is said any more
 */
export async function changeMessage(
  project: Project,
  { release, message }: { readonly release: Release; readonly message: string | undefined },
  made: ProjectChange,
): Promise<Release> {
  const { slug } = project;
  const { message: before, ...rest } = release;
  const set = setAttributes({ message, messageEditedAt: made.now.toISOString() });
  const removed = message === undefined ? " REMOVE #message" : "";
  const edited = { ...rest, ...(message !== undefined && { message }), messageEditedAt: made.now.toISOString() };
  await transact({
    token: activeTokenCheck(made.token, made.now),
    project: check(keys.project(slug), openCondition(project)),
    release: change(
      keys.release(slug, release.id),
      set.expression + removed,
      { condition: itemExists.condition, values: set.values },
      asRead({ message: before, withdrawnAt: undefined }),
    ),
    event: projectEventWrites(project, made, releaseEvent("release_edited", edited, made)),
  });
  return edited;
}
