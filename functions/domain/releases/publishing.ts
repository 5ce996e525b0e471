import type { Decisions } from "../../entities/decisions.ts";
import type { CurrentRelease, Project } from "../../entities/project.ts";
import type { Publisher, Release } from "../../entities/release.ts";
import { findManifest, type Manifest, readManifest } from "../../files/manifests.ts";
import { count } from "../../metrics.ts";
import { moveCurrentRelease } from "../../table/releases/release-items.ts";
import { type Actor, type ProjectActor, tokenOf } from "../authentication.ts";
import { bringToEdge, type EdgeState, ownChange } from "../projects/pointers.ts";
import { publishingRun } from "../publishers/runs.ts";
import { ServiceError } from "../service-error.ts";
import { placesAfter } from "./cached-places.ts";
import { assertCopies } from "./copies.ts";
import { decisionsIn, decisionsOf } from "./decided.ts";
import { assertComplete, assertCurrent, assertNotWithdrawn, type ExpectedRelease, findRelease } from "./releases.ts";

/** A release that is live now, with its project. */
export interface PublishResult {
  readonly release: Release;
  readonly project: Project;
  readonly previousRelease: string | null;
  readonly edge: EdgeState;
}

/** The release that goes live, and the one that must be live before it. */
interface Publication {
  readonly releaseId: string;
  readonly expectCurrent: ExpectedRelease;
}

/**
 * Makes a release live; for an earlier release this is a rollback. If it is live already, nothing is written but what
 * the games' edge still lacks. Of racing calls that expect the same live release, one succeeds; without an expectation the
 * last one stays live.
 *
 * @throws ServiceError `release_not_found`; `insufficient_scope` if a CI job would roll back; `release_withdrawn`, even if another one with the same files was withdrawn;
 *   `current_release_changed`, naming the live release; `release_incomplete` if files are missing; `copies_differ`
 */
export async function publishRelease(
  actor: ProjectActor,
  { releaseId, expectCurrent }: Publication,
  now: Date,
): Promise<PublishResult> {
  const { project } = actor;
  const publishedBy = publisherOf(actor);
  const release = await findRelease(project.slug, releaseId, now);
  if (project.currentRelease?.id === releaseId)
    return await published({ release, project, current: project.currentRelease, now });
  assertNotWithdrawn(release);
  if (tokenOf(actor)?.job) assertNew(release);
  assertCurrent(project, expectCurrent);
  await assertComplete(actor, release);
  await assertCopies(actor, release, now);
  const token = tokenOf(actor);
  const run = publishingRun(token, release);
  const [live, next] = await liveAndNext(project, release);
  const places = placesAfter(project, live, next);
  const decided = await decisionsAfter(actor, release, next);
  const moved = await moveCurrentRelease({ project, release, publishedBy, token, run, places, decided, now });
  if (moved === undefined) throw new ServiceError("release_withdrawn");
  count("Publications", {});
  const { release: made, currentRelease: current } = moved;
  return await published({ release: made, project: { ...project, currentRelease: current }, current, now });
}

/** Releases that were live and are no longer live were replaced for a reason, which only a person can judge. */
function assertNew({ publishedAt }: Release): void {
  if (publishedAt !== undefined)
    throw new ServiceError("insufficient_scope", {
      detail: "A CI job makes new releases live. That an earlier one is live again a person decides: svc rollback.",
    });
}

/** Reads the manifests of the live release, which is mostly known from comparing, and of the next one. */
async function liveAndNext({ slug, currentRelease }: Project, { manifest }: Release) {
  return await Promise.all([
    currentRelease && findManifest(slug, currentRelease.manifest),
    readManifest(slug, manifest),
  ]);
}

/** A session decides what the release has. A token decides nothing: of a project of before it keeps what held until now. */
async function decisionsAfter(actor: ProjectActor, release: Release, next: Manifest): Promise<Decisions | undefined> {
  if (tokenOf(actor) === undefined) return decisionsIn(release, next);
  return actor.project.decided ? undefined : await decisionsOf(actor.project);
}

function publisherOf(actor: Actor): Publisher {
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
  readonly current: CurrentRelease;
  readonly now: Date;
}): Promise<PublishResult> {
  const { release, project, current, now } = live;
  const { ttl, reserved, describedBy, ...stored } = release;
  const edge = await bringToEdge(ownChange(project), now);
  return { release: { ...stored, publishedAt: current.publishedAt }, project, previousRelease: current.previous, edge };
}
