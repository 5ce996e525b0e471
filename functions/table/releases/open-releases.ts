import { limits } from "../../../contract/api/limits.ts";
import type { Idempotency } from "../../entities/idempotent-creation.ts";
import type { Amount, Ledger, Project } from "../../entities/project.ts";
import type { Release } from "../../entities/release.ts";
import type { DeletionIntent } from "../../entities/sweep-run.ts";
import type { Token } from "../../entities/token.ts";
import * as environment from "../../environment.ts";
import { absentOrExpired, asRead, itemExists, setAttributes } from "../expressions.ts";
import { idempotencyWrite } from "../idempotency-items.ts";
import { keys, type OpenManifest } from "../keys.ts";
import { countInAccount, counting, roomCondition } from "../projects/ledger.ts";
import { trustCheck, trustedCondition, unchangedCondition } from "../projects/project-items.ts";
import { readItems } from "../read.ts";
import { activeTokenCheck } from "../tokens/token-items.ts";
import { change, check, put, putNew, remove, transact, type Write } from "../transaction.ts";

/** An open release: one that expires. */
export type OpenRelease = Release & { readonly ttl: number };

/** Names of a release's manifest: its digest, and the one without deltas if it has some. */
export type ReleaseDigests = Pick<Release, "manifest" | "filesDigest">;

/** The digest that releases with the same files and settings share, whichever deltas they have. */
export function filesDigestOf({ manifest, filesDigest = manifest }: ReleaseDigests): string {
  return filesDigest;
}

/**
 * The open release that has this manifest, a withdrawn one that had its files and settings, its account's ledger, and what was being
 * deleted when the project was read.
 */
export async function readOpenRelease(
  { slug, ownerKey, deleting }: Project,
  { manifest, filesDigest }: ReleaseDigests,
): Promise<ReadForOpening> {
  const [item, sameFiles, ledger, deletion] = await readItems([
    keys.openManifest(slug, manifest),
    filesDigest === undefined ? undefined : keys.openManifest(slug, filesDigest),
    keys.ledger(ownerKey),
    deleting && keys.deletionIntent(slug),
  ]);
  const withdrawn = [item, sameFiles].find((each) => each?.withdrawnAt !== undefined);
  return { openManifest: item, withdrawn, ledger, deletion };
}

interface ReadForOpening {
  readonly openManifest: OpenManifest | undefined;
  readonly withdrawn: OpenManifest | undefined;
  readonly ledger: Ledger | undefined;
  readonly deletion: DeletionIntent | undefined;
}

/** Preconditions of each transaction that creates a release. */
export interface Preconditions {
  readonly project: Project;
  /** Whether the project must have the live release that it had when it was read. */
  readonly expectsCurrent: boolean;
  /** The token by which it is opened. */
  readonly token: Token | undefined;
  /** Whether the caller may only open previews: its drafts have a part of the quota. */
  readonly previewOnly: boolean;
  readonly idempotency: Idempotency | undefined;
  readonly now: Date;
}

/** Objects that are written must be counted, because an object stays until the sweep when the request fails afterwards. */
export async function countObject(preconditions: Preconditions, bytes: number): Promise<void> {
  const { token, now } = preconditions;
  await transact({ token: activeTokenCheck(token, now), ...count(preconditions, { bytes, objects: 1 }, 0) });
}

function count({ project, expectsCurrent, previewOnly }: Preconditions, amount: Amount, releases: 0 | 1) {
  const { slug, ownerKey } = project;
  const more = { ...amount, drafts: previewOnly ? amount : undefined };
  const { expression, ...counted } = counting(more);
  return {
    project: change(
      keys.project(slug),
      `ADD ${expression}, opened :releases, openReleases :releases`,
      counted,
      expectsCurrent ? unchangedCondition(project) : trustedCondition(project),
      // No deletion intent was written.
      asRead({ epoch: project.epoch }),
      roomCondition(environment.projectQuota(), more),
      {
        condition: "(attribute_not_exists(openReleases) OR openReleases < :maxOpen)",
        values: { ":releases": releases, ":maxOpen": limits.openReleasesPerProject },
      },
    ),
    account: countInAccount(ownerKey, more),
  };
}

/**
 * Stores an open release, its id under its manifest, one more in the project's count of opened ones, and what is missing of
 * its files in both ledgers, all or nothing. Of racing calls with one manifest, one stores.
 */
export async function insertRelease(
  preconditions: Preconditions,
  release: OpenRelease,
  missing: Amount,
): Promise<void> {
  const { project, token, idempotency, now } = preconditions;
  const { slug } = project;
  const { id, manifest, ttl } = release;
  await transact({
    idempotency: idempotencyWrite(idempotency, id, now),
    token: activeTokenCheck(token, now),
    ...count(preconditions, missing, 1),
    release: putNew(keys.release(slug, id), release),
    // The item of a withdrawn release has no time.
    openManifest: put(keys.openManifest(slug, manifest), { releaseId: id, ttl }, absentOrExpired(now)),
    sameFiles: sameFilesCheck(slug, release),
  });
}

/** The check that no release with the same files and settings is withdrawn, beside what is said of the manifest with its deltas. */
export function sameFilesCheck(slug: string, { filesDigest }: ReleaseDigests): Write<OpenManifest> | undefined {
  if (filesDigest === undefined) return undefined;
  return check(keys.openManifest(slug, filesDigest), { condition: "attribute_not_exists(withdrawnAt)" });
}

/** The writes after which an open release is kept until a time, in epoch seconds; of any other only the check that it is not withdrawn. */
export function keptUntil(slug: string, release: Release, until: number) {
  const { id, manifest, ttl } = release;
  const same = asRead({ ttl });
  const isLonger = ttl !== undefined && until > ttl;
  return {
    release: isLonger
      ? change(keys.release(slug, id), { ttl: until }, same)
      : check(keys.release(slug, id), itemExists, same),
    openManifest: [
      isLonger
        ? change(keys.openManifest(slug, manifest), { ttl: until }, asRead({ releaseId: id }))
        : check(keys.openManifest(slug, manifest), { condition: "attribute_not_exists(withdrawnAt)" }),
      sameFilesCheck(slug, release),
    ],
  };
}

/** The write after which no open release has the manifest; refused if another release than this one has it. */
export function releaseClosed(slug: string, { id, manifest }: Pick<Release, "id" | "manifest">): Write<OpenManifest> {
  return remove(keys.openManifest(slug, manifest), {
    condition: "attribute_not_exists(PK) OR releaseId = :id",
    values: { ":id": id },
  });
}

/**
 * Stores when an open release expires, what its publisher says of it, and who found it, provided that nobody else has found it since it
 * was read.
 *
 * @param token the token by which it was found again
 */
export async function extendRelease(
  project: Project,
  { current, next }: { readonly current: OpenRelease; readonly next: OpenRelease },
  { token, now }: { token: Token | undefined; now: Date },
): Promise<void> {
  const { slug } = project;
  const { id, manifest, provenance, openers, previewOnly, describedBy, ttl } = next;
  const { message, messageEditedAt, changedSettings, source, picture, choices } = next;
  const description = { message, messageEditedAt, changedSettings, source, picture, choices };
  const set = setAttributes({ ...description, provenance, openers, describedBy, ttl });
  const gone = Object.entries({ ...description, previewOnly }).filter(([, value]) => value === undefined);
  const removed = gone.length > 0 ? ` REMOVE ${gone.map(([name]) => `#${name}`).join(", ")}` : "";
  await transact({
    token: activeTokenCheck(token, now),
    project: trustCheck(project, token),
    release: change(
      keys.release(slug, id),
      set.expression + removed,
      { condition: "attribute_exists(#ttl)", values: set.values },
      asRead({ openers: current.openers, previewOnly: current.previewOnly }),
    ),
    openManifest: change(keys.openManifest(slug, manifest), { ttl }, asRead({ releaseId: id })),
  });
}
