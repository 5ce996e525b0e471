import type { AnnouncedDeletion, Project, Release, Token } from "../domain/entities.ts";
import { keys, type OpenManifest } from "./keys.ts";
import { epochCondition, ownerCondition, type ProjectChanged, unchangedCondition } from "./projects.ts";
import { readItems } from "./read.ts";
import { activeTokenCheck, type TokenRefused } from "./tokens.ts";
import { change, put, putNew, remove, transact, type Write } from "./transaction.ts";

/** An open release: one that expires. */
export type OpenRelease = Release & { readonly ttl: number };

/** The id of the open release that has this manifest, and what was being deleted when the project was read. */
export async function readOpenRelease(
  { slug, deleting }: Project,
  manifest: string,
): Promise<{ releaseId: string | undefined; deletion: AnnouncedDeletion | undefined }> {
  const key = keys.openManifest(slug, manifest);
  const [item, deletion] = deleting ? await readItems([key, keys.announcedDeletion(slug)]) : await readItems([key]);
  return { releaseId: item?.releaseId, deletion };
}

export type InsertReleaseOutcome =
  | { readonly outcome: "stored" }
  | TokenRefused
  /**
   * The project is deleted or suspended, or has another owner, or another live release where that matters; or a deletion
   * was announced.
   */
  | ProjectChanged
  /** Another release with this manifest is open. */
  | { readonly outcome: "already_open"; readonly releaseId: string | undefined };

/**
 * Stores an open release, its id under its manifest, and one more in the project's count of opened ones, all or nothing.
 * Of racing calls with one manifest, one stores.
 *
 * @param expectsCurrent whether the project must have the live release that it had when it was read
 */
export async function insertRelease(insertion: {
  project: Project;
  release: OpenRelease;
  expectsCurrent: boolean;
  /** The token by which it is opened. */
  token: Token | undefined;
  now: Date;
}): Promise<InsertReleaseOutcome> {
  const { project, release, expectsCurrent, token, now } = insertion;
  const { slug, ownerKey } = project;
  const unchanged = expectsCurrent ? unchangedCondition(project) : ownerCondition(ownerKey);
  const notAnnounced = epochCondition(project);
  const failed = await transact({
    token: activeTokenCheck(token, now),
    project: change(keys.project(slug), "ADD opened :one", {
      condition: `${unchanged.condition} AND ${notAnnounced.condition}`,
      values: { ...unchanged.values, ...notAnnounced.values, ":one": 1 },
    }),
    release: putNew(keys.release(slug, release.id), release),
    openManifest: openManifestWrite(slug, release, now),
  });
  if (failed === undefined) return { outcome: "stored" };
  if (failed.name === "token") return { outcome: "token_refused", token: failed.item };
  if (failed.name === "project") return { outcome: "project_changed", project: failed.item };
  if (failed.name === "release") throw new Error("A new release has the id of an existing one");
  return { outcome: "already_open", releaseId: failed.item?.releaseId };
}

/** Its condition compares the time itself, because DynamoDB deletes expired items late. */
function openManifestWrite(slug: string, { id, manifest, ttl }: OpenRelease, now: Date): Write<OpenManifest> {
  return put(
    keys.openManifest(slug, manifest),
    { releaseId: id, ttl },
    {
      condition: "attribute_not_exists(PK) OR #ttl <= :now",
      names: { "#ttl": "ttl" },
      values: { ":now": Math.floor(now.getTime() / 1_000) },
    },
  );
}

/** The write after which no open release has the manifest; refused where another release than this one has it. */
export function releaseClosed(slug: string, { id, manifest }: Release): Write<OpenManifest> {
  return remove(keys.openManifest(slug, manifest), {
    condition: "attribute_not_exists(PK) OR releaseId = :id",
    values: { ":id": id },
  });
}

export type ExtendOutcome = { readonly outcome: "stored" } | TokenRefused | { readonly outcome: "not_open" };

/**
 * Stores when an open release expires, and what its publisher says of it.
 *
 * @param token the token by which it was found again
 */
export async function extendRelease(
  slug: string,
  { id, manifest, message, source, ttl }: OpenRelease,
  { token, now }: { token: Token | undefined; now: Date },
): Promise<ExtendOutcome> {
  const names = { "#ttl": "ttl" };
  const said = Object.entries({ message, source }).filter(([, value]) => value !== undefined);
  const failed = await transact({
    token: activeTokenCheck(token, now),
    release: change(
      keys.release(slug, id),
      `SET #ttl = :ttl${said.map(([name]) => `, #${name} = :${name}`).join("")}`,
      {
        condition: "attribute_exists(#ttl)",
        names: { ...names, ...Object.fromEntries(said.map(([name]) => [`#${name}`, name])) },
        values: { ":ttl": ttl, ...Object.fromEntries(said.map(([name, value]) => [`:${name}`, value])) },
      },
    ),
    openManifest: change(keys.openManifest(slug, manifest), "SET #ttl = :ttl", {
      condition: "releaseId = :id",
      names,
      values: { ":ttl": ttl, ":id": id },
    }),
  });
  if (failed?.name === "token") return { outcome: "token_refused", token: failed.item };
  return { outcome: failed ? "not_open" : "stored" };
}
