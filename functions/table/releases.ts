import { ServiceError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import { eventWrite } from "./events.ts";
import { newId } from "./ids.ts";
import { keys, prefixes } from "./keys.ts";
import type { CurrentRelease, Project } from "./projects.ts";
import { type Page, readItems, readPage } from "./read.ts";
import { transact, type Write } from "./transaction.ts";

/** A release as it is stored. Which one is live is told by the project alone. */
export interface Release {
  readonly id: string;
  /** The digest of its manifest, which names the object that holds it. */
  readonly manifest: string;
  readonly files: number;
  readonly bytes: number;
  readonly createdAt: string;
  /** The last time that it went live. */
  readonly publishedAt?: string;
  /** While it is open: epoch seconds after which it is given up. DynamoDB deletes it some time later. */
  readonly ttl?: number;
}

/** The release that must be live for a write to happen; null: none may be; undefined: whatever is. */
export type ExpectedRelease = string | null | undefined;

function epochSeconds(now: Date): number {
  return Math.floor(now.getTime() / 1_000);
}

function isGivenUp(release: Release, now: Date): boolean {
  return release.ttl !== undefined && release.ttl <= epochSeconds(now);
}

/** @throws ServiceError `current_release_changed`, naming the release that is live instead of the expected one */
export function assertCurrent({ currentRelease }: Pick<Project, "currentRelease">, expected: ExpectedRelease): void {
  const live = currentRelease?.id ?? null;
  if (expected === undefined || expected === live) return;
  const detail = live
    ? `Release ${live} is live, not ${expected ?? "none"}. Look at it, then publish again if yours should replace it.`
    : `No release is live, so ${expected} is not either. Publish again without expecting it.`;
  throw new ServiceError("current_release_changed", { detail });
}

/** That the project is its owner's still, and has the live release that it had when it was read. */
function unchanged({ ownerKey, currentRelease }: Project) {
  return {
    ConditionExpression: currentRelease
      ? "ownerKey = :owner AND currentRelease.id = :seen"
      : "ownerKey = :owner AND attribute_not_exists(currentRelease)",
    ExpressionAttributeValues: { ":owner": ownerKey, ...(currentRelease && { ":seen": currentRelease.id }) },
  };
}

/** The project as it now is, where {@link unchanged} did not hold. */
function changedProject(item: Record<string, unknown> | undefined, ownerKey: string): Project {
  const project = item as unknown as Project | undefined;
  if (project?.ownerKey !== ownerKey) throw new ServiceError("project_not_found");
  return project;
}

/** The release of a project, or undefined where there is none (any more). */
export async function readRelease(slug: string, releaseId: string, now: Date): Promise<Release | undefined> {
  const [item] = await readItems([keys.release(slug, releaseId)]);
  const release = item as unknown as Release | undefined;
  return release && isGivenUp(release, now) ? undefined : release;
}

/** The open release of a project that has this manifest. */
export async function readOpenRelease(slug: string, manifest: string, now: Date): Promise<Release | undefined> {
  const [pointer] = await readItems([keys.openManifest(slug, manifest)]);
  const release = pointer && (await readRelease(slug, pointer["releaseId"] as string, now));
  return release?.publishedAt === undefined ? release : undefined;
}

/** One page of a project's releases, newest first; it has fewer where open ones were given up. */
export async function listReleases(
  slug: string,
  page: Page,
  now: Date,
): Promise<{ releases: Release[]; nextCursor: string | null }> {
  const { items, nextCursor } = await readPage({
    partition: keys.project(slug).PK,
    prefix: prefixes.release,
    newestFirst: true,
    page,
  });
  const releases = items as unknown as Release[];
  return { releases: releases.filter((release) => !isGivenUp(release, now)), nextCursor };
}

/**
 * Opens a release, which is given up after 7 days, and notes it under its manifest, both or neither. Of two racing calls
 * with one manifest, both get the release of the first.
 *
 * @returns the open release, and whether this call opened it
 * @throws ServiceError `project_not_found` where the project is not its owner's any more, `current_release_changed`
 */
export async function createRelease(opening: {
  project: Project;
  manifest: Pick<Release, "manifest" | "files" | "bytes">;
  expectCurrent: ExpectedRelease;
  now: Date;
}): Promise<{ release: Release; created: boolean }> {
  const { project, manifest, expectCurrent, now } = opening;
  const { slug, ownerKey } = project;
  const ttl = epochSeconds(now) + limits.openReleaseLifetimeSeconds;
  const release = { id: newId(now), ...manifest, createdAt: now.toISOString(), ttl };
  const isOwners = { ConditionExpression: "ownerKey = :owner", ExpressionAttributeValues: { ":owner": ownerKey } };
  const failed = await transact([
    { ConditionCheck: { Key: keys.project(slug), ...(expectCurrent === undefined ? isOwners : unchanged(project)) } },
    {
      Put: { Item: { ...keys.release(slug, release.id), ...release }, ConditionExpression: "attribute_not_exists(PK)" },
    },
    {
      Put: {
        Item: { ...keys.openManifest(slug, release.manifest), releaseId: release.id, ttl },
        ConditionExpression: "attribute_not_exists(PK) OR #ttl <= :now",
        ExpressionAttributeNames: { "#ttl": "ttl" },
        ExpressionAttributeValues: { ":now": epochSeconds(now) },
      },
    },
  ]);
  if (failed === undefined) return { release, created: true };
  if (failed.index === 0) assertCurrent(changedProject(failed.item, ownerKey), expectCurrent);
  const first = failed.item?.["releaseId"];
  const existing = typeof first === "string" ? await readRelease(slug, first, now) : undefined;
  if (existing === undefined) throw new ServiceError("temporarily_unavailable");
  return { release: existing, created: false };
}

/**
 * Gives an open release 7 days from now, where it has had less than 6 left.
 *
 * @returns the release as it then is; undefined where it is not open any more
 */
export async function keepOpen(slug: string, release: Release, now: Date): Promise<Release | undefined> {
  const ttl = epochSeconds(now) + limits.openReleaseLifetimeSeconds;
  if (release.ttl === undefined || ttl - release.ttl < refreshIntervalSeconds) return release;
  const later = {
    UpdateExpression: "SET #ttl = :ttl",
    ExpressionAttributeNames: { "#ttl": "ttl" },
  };
  const failed = await transact([
    {
      Update: {
        Key: keys.release(slug, release.id),
        ...later,
        ConditionExpression: "attribute_exists(#ttl)",
        ExpressionAttributeValues: { ":ttl": ttl },
      },
    },
    {
      Update: {
        Key: keys.openManifest(slug, release.manifest),
        ...later,
        ConditionExpression: "releaseId = :id",
        ExpressionAttributeValues: { ":ttl": ttl, ":id": release.id },
      },
    },
  ]);
  return failed ? undefined : { ...release, ttl };
}

const refreshIntervalSeconds = 24 * 3_600;

/**
 * Makes a release the live one of a project, provided that the project is as it was read. The pointer moves in one step
 * with the release's own state and the event, so visitors see the old release whole and then the new one whole.
 *
 * @returns whether it was done, and the project as it then is; not done where it or the release has changed since it was
 *   read
 * @throws ServiceError `project_not_found` where it is not the owner's any more; `release_not_found` where the release
 *   was given up in the meantime
 */
export async function moveCurrentRelease(
  project: Project,
  { id, manifest, publishedAt }: Release,
  now: Date,
): Promise<{ done: boolean; project: Project }> {
  const { slug, ownerKey } = project;
  const next: CurrentRelease = {
    id,
    manifest,
    publishedAt: now.toISOString(),
    previous: project.currentRelease?.id ?? null,
  };
  const { ConditionExpression, ExpressionAttributeValues } = unchanged(project);
  const failed = await transact([
    {
      Update: {
        Key: keys.project(slug),
        UpdateExpression: "SET currentRelease = :next",
        ConditionExpression,
        ExpressionAttributeValues: { ...ExpressionAttributeValues, ":next": next },
      },
    },
    {
      Update: {
        Key: keys.release(slug, id),
        UpdateExpression: "SET publishedAt = :now REMOVE #ttl",
        ConditionExpression: "attribute_exists(PK)",
        ExpressionAttributeNames: { "#ttl": "ttl" },
        ExpressionAttributeValues: { ":now": next.publishedAt },
      },
    },
    eventWrite(ownerKey, now, { type: "release_published", project: slug, releaseId: id }),
    ...(publishedAt === undefined ? [noLongerOpen(slug, manifest, id)] : []),
  ]);
  if (failed === undefined) return { done: true, project: { ...project, currentRelease: next } };
  if (failed.index === 0) return { done: false, project: changedProject(failed.item, ownerKey) };
  if (failed.item === undefined) throw new ServiceError("release_not_found");
  return { done: false, project };
}

function noLongerOpen(slug: string, manifest: string, releaseId: string): Write {
  return {
    Delete: {
      Key: keys.openManifest(slug, manifest),
      ConditionExpression: "attribute_not_exists(PK) OR releaseId = :id",
      ExpressionAttributeValues: { ":id": releaseId },
    },
  };
}
