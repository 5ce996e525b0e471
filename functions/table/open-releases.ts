import { ServiceError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import { assertCurrent, changedProject, type ExpectedRelease, isOwners, isUnchanged } from "./expected-release.ts";
import { newId } from "./ids.ts";
import { keys } from "./keys.ts";
import type { Project } from "./projects.ts";
import { readItems } from "./read.ts";
import { type Release, readRelease } from "./releases.ts";
import { transact, type Write } from "./transaction.ts";

/** The open release of a project that has this manifest. */
export async function readOpenRelease(slug: string, manifest: string, now: Date): Promise<Release | undefined> {
  const [pointer] = await readItems([keys.openManifest(slug, manifest)]);
  const release = pointer && (await readRelease(slug, pointer["releaseId"] as string, now));
  return release?.publishedAt === undefined ? release : undefined;
}

/** A release to be opened. */
interface Opening {
  readonly project: Project;
  readonly manifest: Pick<Release, "manifest" | "files" | "bytes">;
  readonly expectCurrent: ExpectedRelease;
  readonly now: Date;
}

/**
 * Opens a release, which is given up after 7 days, and notes it under its manifest, both or neither. Of two racing calls
 * with one manifest, both get the release of the first.
 *
 * @returns the open release, and whether this call opened it
 * @throws ServiceError `project_not_found` where the project is not its owner's any more, `current_release_changed`
 */
export async function createRelease(opening: Opening): Promise<{ release: Release; created: boolean }> {
  const { project, manifest, expectCurrent, now } = opening;
  const { slug } = project;
  const release = { id: newId(now), ...manifest, createdAt: now.toISOString(), ttl: endOfLife(now) };
  const condition = expectCurrent === undefined ? isOwners(project) : isUnchanged(project);
  const failed = await transact([
    { ConditionCheck: { Key: keys.project(slug), ...condition } },
    {
      Put: { Item: { ...keys.release(slug, release.id), ...release }, ConditionExpression: "attribute_not_exists(PK)" },
    },
    notedUnderManifest(slug, release, now),
  ]);
  if (failed === undefined) return { release, created: true };
  if (failed.index === 0) assertCurrent(changedProject(failed.item, project), expectCurrent);
  const first = failed.item?.["releaseId"];
  const existing = typeof first === "string" ? await readRelease(slug, first, now) : undefined;
  if (existing === undefined) throw new ServiceError("temporarily_unavailable");
  return { release: existing, created: false };
}

/** Refused while another release that is open has the manifest. DynamoDB deletes late, so the time counts for itself. */
function notedUnderManifest(slug: string, { id, manifest, ttl }: Release, now: Date): Write {
  return {
    Put: {
      Item: { ...keys.openManifest(slug, manifest), releaseId: id, ttl },
      ConditionExpression: "attribute_not_exists(PK) OR #ttl <= :now",
      ExpressionAttributeNames: { "#ttl": "ttl" },
      ExpressionAttributeValues: { ":now": epochSeconds(now) },
    },
  };
}

/** The write by which a release that goes live is open no more. */
export function noLongerOpen(slug: string, { id, manifest }: Release): Write {
  return {
    Delete: {
      Key: keys.openManifest(slug, manifest),
      ConditionExpression: "attribute_not_exists(PK) OR releaseId = :id",
      ExpressionAttributeValues: { ":id": id },
    },
  };
}

const refreshIntervalSeconds = 24 * 3_600;

/**
 * Gives an open release 7 days from now, where it has had less than 6 left.
 *
 * @returns the release as it then is; undefined where it is not open any more
 */
export async function keepOpen(slug: string, release: Release, now: Date): Promise<Release | undefined> {
  const ttl = endOfLife(now);
  if (release.ttl === undefined || ttl - release.ttl < refreshIntervalSeconds) return release;
  const later = { UpdateExpression: "SET #ttl = :ttl", ExpressionAttributeNames: { "#ttl": "ttl" } };
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

/** When a release that is opened, or found again, now is given up. */
function endOfLife(now: Date): number {
  return epochSeconds(now) + limits.openReleaseLifetimeSeconds;
}

function epochSeconds(now: Date): number {
  return Math.floor(now.getTime() / 1_000);
}
