import { keys, prefixes } from "./keys.ts";
import { type Page, readItems, readPage } from "./read.ts";

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

function isGivenUp({ ttl }: Release, now: Date): boolean {
  return ttl !== undefined && ttl <= Math.floor(now.getTime() / 1_000);
}

/** The release of a project, or undefined where there is none (any more). */
export async function readRelease(slug: string, releaseId: string, now: Date): Promise<Release | undefined> {
  const [item] = await readItems([keys.release(slug, releaseId)]);
  const release = item as unknown as Release | undefined;
  return release && isGivenUp(release, now) ? undefined : release;
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
