import type { Decisions } from "../../entities/decisions.ts";
import type { CurrentRelease, Project, Schedule } from "../../entities/project.ts";
import type { JobGrant } from "../../entities/publisher.ts";
import type { Release } from "../../entities/release.ts";
import type { Publisher, Token } from "../../entities/token.ts";
import { findManifest, type Manifest, readManifest } from "../../files/manifests.ts";
import { count } from "../../metrics.ts";
import { markReleaseWaiting, moveCurrentRelease, readRelease } from "../../table/releases/release-items.ts";
import { type Actor, type ProjectActor, tokenOf } from "../authentication.ts";
import { bringToEdge, type EdgeState, ownChange } from "../projects/pointers.ts";
import { isLaterRun, publishingRun } from "../publishers/runs.ts";
import { ServiceError } from "../service-error.ts";
import { placesAfter } from "./cached-places.ts";
import { assertCopies } from "./copies.ts";
import { decisionsIn, decisionsOf } from "./decided.ts";
import { livePicture } from "./live-picture.ts";
import { assertComplete, assertCurrent, assertNotWithdrawn, type ExpectedRelease, findRelease } from "./releases.ts";

/** A release that is live now, or waits for a person, with its project. */
export interface PublishResult {
  readonly isLive: boolean;
  readonly release: Release;
  readonly project: Project;
  readonly previousRelease: string | null;
  /** The schedule of another release, which this ended. */
  readonly endedSchedule: Schedule | undefined;
  readonly edge: EdgeState;
}

/** The release that goes live, and the one that must be live before it. */
interface Publication {
  readonly releaseId: string;
  readonly expectCurrent: ExpectedRelease;
  /** Whether a CI job may take the place of a later run's release, if its publisher allows that. */
  readonly replacesLaterRun?: boolean | undefined;
}

/**
 * Makes a release live; for an earlier release this is a rollback. If it is live already, nothing is written but what
 * the games' edge still lacks. Of racing calls that expect the same live release, one succeeds; without an expectation the
 * last one stays live. Where a person makes live, the release of a token waits for that.
 *
 * @throws ServiceError `release_not_found`; `insufficient_scope` if a CI job would roll back; `later_run_live`; `person_required` if another token would where a person makes live; `release_withdrawn`, even if another one with the same files was withdrawn;
 *   `current_release_changed`, naming the live release; `release_incomplete` if files are missing; `copies_differ`
 */
export async function publishRelease(
  actor: ProjectActor,
  { releaseId, expectCurrent, replacesLaterRun = false }: Publication,
  now: Date,
): Promise<PublishResult> {
  const { project } = actor;
  const publishedBy = publisherOf(actor);
  const token = tokenOf(actor);
  const release = await findRelease(project.slug, releaseId, now);
  if (project.currentRelease?.id === releaseId)
    return await published({ release, project, currentRelease: project.currentRelease, now });
  assertNotWithdrawn(release);
  if (token?.job) assertNew(release);
  assertCurrent(project, expectCurrent);
  const isForPerson = project.personMakesLive === true && token !== undefined;
  if (isForPerson) assertMayWait(release);
  await assertComplete(actor, release);
  await assertCopies(actor, release, now);
  if (isForPerson) return await waiting({ project, release, by: publishedBy, token, now });
  if (token?.job) await assertNoLaterRun(token.job, project, replacesLaterRun);
  const run = publishingRun(token, release);
  const [live, next] = await liveAndNext(project, release);
  const places = placesAfter(project, live, next);
  const decided = await decisionsAfter(actor, release, next);
  const picture = livePicture(project, release, next);
  const moved = await moveCurrentRelease({ project, release, publishedBy, token, run, places, picture, decided, now });
  if (moved === undefined) throw new ServiceError("release_withdrawn");
  count("Publications", {});
  return await published({ ...moved, now });
}

/** Releases that were live and are no longer live were replaced for a reason, which only a person can judge. */
function assertNew({ publishedAt }: Release): void {
  if (publishedAt !== undefined)
    throw new ServiceError("insufficient_scope", {
      detail: "A CI job makes new releases live. That an earlier one is live again a person decides: svc rollback.",
    });
}

/** What was live is back for players at once, with no file that somebody would look at: only a person makes it so. */
function assertMayWait({ publishedAt }: Release): void {
  if (publishedAt !== undefined) throw new ServiceError("person_required");
}

/** A release that waits already stays as it is: a request that is sent again tells nobody twice. */
async function waiting(asked: {
  readonly project: Project;
  readonly release: Release;
  readonly by: Publisher;
  readonly token: Token;
  readonly now: Date;
}): Promise<PublishResult> {
  const { project, release, ...made } = asked;
  const { ttl, waiting: earlierWait } = release;
  // What was never live is open.
  const marked =
    earlierWait || ttl === undefined ? release : await markReleaseWaiting(project, { ...release, ttl }, made);
  return { isLive: false, release: marked, project, previousRelease: null, endedSchedule: undefined, edge: null };
}

/**
 * Keeps a rerun of an old job from bringing its build back without a word.
 *
 * @param isWanted whether the job asks for that
 * @throws ServiceError `later_run_live`
 */
async function assertNoLaterRun({ run, publisherId }: JobGrant, project: Project, isWanted: boolean): Promise<void> {
  const { slug, currentRelease, publishers = [] } = project;
  const isForbidden = publishers.find(({ id }) => id === publisherId)?.onlyLatestRun === true;
  if (isWanted && !isForbidden) return;
  const live = currentRelease && (await readRelease(slug, currentRelease.id));
  if (!isLaterRun(live?.firstPublished?.run, run)) return;
  throw new ServiceError("later_run_live", isForbidden ? { detail: onlyPerson } : {});
}

const onlyPerson =
  "A later run of this repository has made its release live, and the publisher that this job matches never puts an older one in its place. If it is meant, a person makes it live: svc live RELEASE.";

/** Reads the manifests of the live release, which is mostly known from comparing, and of the next one. */
async function liveAndNext({ slug, currentRelease }: Project, { manifest }: Release) {
  return await Promise.all([
    currentRelease && findManifest(slug, currentRelease.manifest),
    readManifest(slug, manifest),
  ]);
}

/** A session decides what the release has. A token decides nothing: of a project of before it keeps what held until now. */
async function decisionsAfter(actor: ProjectActor, release: Release, next: Manifest): Promise<Decisions | undefined> {
  const isOtherSettings = release.changedSettings !== undefined && release.publishedAt === undefined;
  const earlier = isOtherSettings ? await decisionsOf(actor.project) : undefined;
  if (tokenOf(actor) === undefined) return decisionsIn(release, next, earlier);
  return actor.project.decided ? undefined : await decisionsOf(actor.project);
}

/** Who makes a release live, or schedules it, as it is stored. */
export function publisherOf(actor: Actor): Publisher {
  const token = tokenOf(actor);
  return {
    accountKey: actor.account.key,
    token: token === undefined ? null : { id: token.id, name: token.name },
    ...(token?.job && { publisherId: token.job.publisherId }),
  };
}

async function published(live: {
  readonly release: Release;
  readonly project: Project;
  readonly currentRelease: CurrentRelease;
  readonly endedSchedule?: Schedule | undefined;
  readonly now: Date;
}): Promise<PublishResult> {
  const { release, project, currentRelease: current, endedSchedule, now } = live;
  const { ttl, reserved, describedBy, waiting: _, ...stored } = release;
  const edge = await bringToEdge(ownChange(project), now);
  const made = { ...stored, publishedAt: current.publishedAt };
  return { isLive: true, release: made, project, previousRelease: current.previous, endedSchedule, edge };
}
