import type { CurrentRelease, Invitation, Schedule } from "../../../functions/entities/project.ts";
import type { StoredItem } from "./stored.ts";

/**
 * Invariants that must hold of all stored items at every moment, whatever raced, failed or was killed. Returns a line for each
 * thing that does not.
 *
 * @param now of a service whose clock is moved: tokens that have expired then may still be listed as active
 */
export function brokenInvariants(items: readonly StoredItem[], now?: number): string[] {
  const partitions = Map.groupBy(items, ({ PK }) => String(PK));
  const sortKeys = Map.groupBy(items, ({ SK }) => String(SK));
  const projectsOf = Map.groupBy(sortKeys.get("PROJECT") ?? [], ({ ownerKey }) => `LEDGER#${ownerKey}`);
  return [...partitions].flatMap(([partition, own]) => {
    if (partition.startsWith("LEDGER#")) return aboutLedger(partition, own, projectsOf.get(partition) ?? []);
    if (partition.startsWith("AUTHOR#")) return aboutAuthor(partition, own, partitions);
    if (partition.startsWith("OUTBOX#")) return own.flatMap((notice) => aboutNotice(notice, partitions, sortKeys));
    return aboutPartition(partition, own, partitions, now);
  });
}

/** A game's public page has the display name that its owner's account has, and none of an account that is deleted. */
function aboutAuthor(partition: string, own: readonly StoredItem[], partitions: Partitions): string[] {
  const items = partitions.get(partition.replace("AUTHOR", "ACCOUNT")) ?? [];
  const account = items.find(({ SK }) => SK === "ACCOUNT");
  const isErasing = items.some(({ SK, isErasing }) => SK === "TOMBSTONE" && isErasing === true);
  return own.flatMap(({ displayName }) =>
    isErasing || account?.["displayName"] === displayName ? [] : [`${partition} has another name than its account`],
  );
}

function aboutPartition(
  partition: string,
  own: readonly StoredItem[],
  partitions: Partitions,
  now: number | undefined,
): string[] {
  if (partition.startsWith("ACCOUNT#")) return aboutAccount(partition, own, partitions, now);
  // The codes of command lines, telemetry grants, the spent identities of CI jobs, the counts of mails, the pointers that wait, the schedules that are due, and the state of the sweep belong to no account or project.
  if (/^(?:CODE|DEVICE|GRANT|JTI|MAILS|PENDING|POINTER|SCHEDULE|SWEEP|WEBHOOK)(?:#|$)/.test(partition)) return [];
  if (partition.startsWith("CRASHES#"))
    return checks(partition, {
      "crashes are counted of a project": hasProject(partition, partitions),
      "an hour's crashes are those of its kinds": own.every(isSumOfKinds),
    });
  if (partition.startsWith("STATISTICS#"))
    return checks(partition, { "players are counted of a project": hasProject(partition, partitions) });
  if (partition.startsWith("SAVES#")) return aboutSaves(partition, own, partitions);
  return aboutProject(partition, own, partitions);
}

/** Whether there is the project of a partition that has its slug, or the key of one of its previews, after a kind. */
function hasProject(partition: string, partitions: Partitions): boolean {
  const [, slug = ""] = /^[^#]*#(.*?)(?:--.*)?$/.exec(partition) ?? [];
  return partitions.has(`PROJECT#${slug}`);
}

/** Links of a game are counted in its hours, those of its previews too. */
function aboutSaves(partition: string, own: readonly StoredItem[], partitions: Partitions): string[] {
  const countOf = (name: "links" | "sizeBytes") =>
    under(own, "HOUR#").reduce((sum, hour) => sum + Number(hour[name]), 0);
  const links = under(own, "LINK#");
  const bytes = links.reduce((sum, { sizeBytes }) => sum + Number(sizeBytes), 0);
  return checks(partition, {
    "saved games are sent of a project": hasProject(partition, partitions),
    "each link is counted": partition.includes("--") || links.length <= countOf("links"),
    "the bytes of each link are counted": partition.includes("--") || bytes <= countOf("sizeBytes"),
  });
}

function isSumOfKinds({ total, ...others }: StoredItem): boolean {
  const kinds = Object.entries(others).filter(([name]) => name.includes("."));
  return total === kinds.reduce((sum, [, count]) => sum + Number(count), 0);
}

/** An account's ledger is the sum of those of its projects, the deleted ones too. */
function aboutLedger(partition: string, own: readonly StoredItem[], projects: readonly StoredItem[]): string[] {
  const sum = (name: string) => projects.reduce((total, item) => total + Number(item[name] ?? 0), 0);
  return checks(partition, {
    "an account's ledger has the bytes of its projects": own[0]?.["usedBytes"] === sum("usedBytes"),
    "an account's ledger has the objects of its projects": own[0]?.["usedObjects"] === sum("usedObjects"),
    "an account's ledger has the drafts of its projects": ["draftBytes", "draftObjects"].every(
      (name) => Number(own[0]?.[name] ?? 0) === sum(name),
    ),
  });
}

/**
 * A notice is about an event that is stored, except for an expiry, which is still to come. There is no notice about a
 * deleted account.
 */
function aboutNotice(
  { PK, SK, id, type, at, accountKey, tokenId, change }: StoredItem,
  partitions: Partitions,
  sortKeys: Partitions,
): string[] {
  const items = partitions.get(`ACCOUNT#${accountKey}`) ?? [];
  if (items.some(({ SK: key }) => key === "TOMBSTONE")) return [];
  // Somebody else may have caused it.
  const event = sortKeys.get(`EVENT#${id}`)?.[0];
  const isExpiry = type === "token_expiring" && items.some((item) => item["SK"] === `TOKEN#${tokenId}`);
  // The event is the owner's, and may be deleted with that account.
  const isOffer = type === "invitation_received";
  if (PK === "OUTBOX#WEBHOOKS") return [];
  // What players do causes it, and nobody of the project.
  const isOfPlayers = /^(?:project_traffic_|release_crashes_)/.test(String(type));
  const isOf = (one: StoredItem) =>
    [...sortKeys].some(
      ([key, items]) =>
        key.startsWith("EVENT#") && items.some((event) => event["type"] === one["type"] && event["at"] === one["at"]),
    );
  // A member's notice of a project has an id of its own, and so has each notice of a changed release.
  const isMembers = () => /^(?:project_deleted|person_|release_waiting)/.test(String(type)) && isOf({ type, at });
  const isRelease = () => type === "project_releases_changed" && isOf(change as StoredItem);
  return checks(`${PK} ${SK}`, {
    "a notice has its event or its token":
      event?.["type"] === type || isExpiry || isOffer || isOfPlayers || isMembers() || isRelease(),
  });
}

/** Items by their partition or sort keys. */
type Partitions = ReadonlyMap<string, readonly StoredItem[]>;

function aboutAccount(
  partition: string,
  items: readonly StoredItem[],
  partitions: Partitions,
  now = Number.NEGATIVE_INFINITY,
): string[] {
  const account = items.find(({ SK }) => SK === "ACCOUNT");
  // The time of its deletion is all that is left of a deleted account.
  if (account === undefined)
    return items.every(({ SK }) => SK === "TOMBSTONE") ? [] : [`${partition} has items and no account`];
  // Those of CI jobs are no tokens of the account: they are not counted and gone after 15 minutes.
  const tokens = under(items, "TOKEN#").filter(({ job }) => job === undefined);
  const all = under(items, "PROJECT#");
  const ownerships = all.filter(({ isMember }) => isMember !== true);
  const unrevoked = tokens.filter(({ revokedAt }) => revokedAt === undefined);
  const active = unrevoked.filter(({ expiresAt }) => Date.parse(String(expiresAt)) > now).map(({ id }) => String(id));
  const listed = Object.entries(account["activeTokens"] as Record<string, string>);
  const listedActive = listed.filter(([, expiresAt]) => Date.parse(expiresAt) > now).map(([id]) => id);
  const countOf = (type: string) => under(items, "EVENT#").filter((event) => event["type"] === type).length;
  const used = tokens.filter(({ lastUsedAt }) => lastUsedAt !== undefined).length;
  const revoked = tokens.length - unrevoked.length;
  const comings = countOf("project_created") + countOf("project_restored") + countOf("project_received");
  const goings = countOf("project_deleted") + countOf("project_handed_over");
  const owned = ownerships.filter(({ slug }) => isOwnedBy(partitions, String(slug), account["key"]));
  return checks(partition, {
    "at most 50 active tokens": active.length <= 50,
    "the account lists its active tokens": sorted(listedActive) === sorted(active),
    "an event for each token": countOf("token_created") === tokens.length,
    "an event for each revocation": countOf("token_revoked") === revoked,
    "an event for each first use": countOf("token_first_used") === used,
    "one account was created": countOf("account_created") === 1,
    "a developer was upgraded once": countOf("role_upgraded") === (account["role"] === "dev" ? 1 : 0),
    "at most 50 projects": ownerships.length <= 50,
    "the account counts its projects": account["projectCount"] === ownerships.length,
    "who joins its new projects has an account that knows it": Object.keys(teamOf(items)).every((key) =>
      partitions.get(`ACCOUNT#${key}`)?.some(({ SK }) => SK === `TEAM#${account["key"]}`),
    ),
    "each team that it is in knows it": under(items, "TEAM#").every(
      ({ ownerKey }) => teamOf(partitions.get(`ACCOUNT#${ownerKey}`) ?? [])[String(account["key"])] !== undefined,
    ),
    "an event for each project that came or went": comings - goings === ownerships.length,
    "each project that it owns is its own": owned.length === ownerships.length,
  });
}

function teamOf(items: readonly StoredItem[]): Readonly<Record<string, unknown>> {
  return (items.find(({ SK }) => SK === "TEAM")?.["members"] ?? {}) as Record<string, unknown>;
}

function isOwnedBy(partitions: Partitions, slug: string, accountKey: unknown): boolean {
  const project = partitions.get(`PROJECT#${slug}`)?.find(({ SK }) => SK === "PROJECT");
  return project?.["ownerKey"] === accountKey && project?.["deletedAt"] === undefined;
}

const nowSeconds = () => Math.floor(Date.now() / 1_000);

function aboutProject(partition: string, items: readonly StoredItem[], partitions: Partitions): string[] {
  const project = items.find(({ SK }) => SK === "PROJECT");
  if (project === undefined) return [`${partition} has items and no project`];
  const releases = under(items, "RELEASE#");
  const current = project["currentRelease"] as CurrentRelease | undefined;
  const scheduled = project["schedule"] as Schedule | undefined;
  const live = releases.find(({ id }) => id === current?.id);
  const open = releases.filter(({ publishedAt, ttl }) => publishedAt === undefined && Number(ttl) > nowSeconds());
  const filesOf = ({ manifest, filesDigest = manifest }: StoredItem) => filesDigest;
  const closed = releases.filter(({ withdrawnAt }) => withdrawnAt !== undefined).map(filesOf);
  // With the releases that differ from a withdrawn one in their deltas alone.
  const withdrawn = releases.filter((release) => closed.includes(filesOf(release))).map(({ manifest }) => manifest);
  const needed = releases.filter(({ manifest }) => !withdrawn.includes(manifest));
  const served = [current?.manifest, ...(current?.earlier ?? [])];
  return checks(partition, {
    "the live release is one of its own": current === undefined || live !== undefined,
    "the live release was published when the project says": live?.["publishedAt"] === current?.publishedAt,
    "the live release has the manifest that the project says": live?.["manifest"] === current?.manifest,
    "a release that was published does not expire": releases.every(({ publishedAt, ttl }) => !publishedAt || !ttl),
    "no withdrawn release is live or continued": !withdrawn.some((manifest) => served.includes(String(manifest))),
    "no two open releases have one manifest": new Set(open.map(({ manifest }) => manifest)).size === open.length,
    "what is counted is in an account's ledger too":
      !project["usedObjects"] || partitions.has(`LEDGER#${project["ownerKey"]}`),
    "a scheduled release is there, not withdrawn, and not live":
      scheduled === undefined ||
      releases.some(
        ({ id, withdrawnAt }) => id === scheduled.releaseId && withdrawnAt === undefined && id !== current?.id,
      ),
    "a schedule is due at its time":
      scheduled === undefined ||
      (partitions.get("SCHEDULE#DUE") ?? []).some(
        ({ SK, madeAt }) => SK === `${scheduled.at}#${project["slug"]}` && madeAt === scheduled.madeAt,
      ),
    "at most 20 people, with those who are invited": peopleOf(project) <= 20,
    "each member has an account whose list has the project": Object.keys(project["members"] ?? {}).every((key) =>
      isListed(partitions, key, project),
    ),
    "each release's manifest is counted":
      project["usedObjects"] === undefined ||
      Number(project["usedObjects"]) >= new Set(needed.map(({ manifest }) => manifest)).size,
  });
}

function peopleOf({ members = {}, invitations = {} }: StoredItem): number {
  const places = Object.values(invitations as Record<string, Invitation>).filter(({ role }) => role !== "owner");
  return 1 + Object.keys(members as object).length + places.length;
}

function isListed(partitions: Partitions, key: string, { slug, ownerKey }: StoredItem): boolean {
  const own = partitions.get(`ACCOUNT#${key}`) ?? [];
  const isThere = own.some(({ SK }) => SK === "ACCOUNT");
  return isThere && key !== ownerKey && own.some(({ SK, isMember }) => SK === `PROJECT#${slug}` && isMember === true);
}

function checks(partition: string, held: Readonly<Record<string, boolean>>): string[] {
  return Object.entries(held).flatMap(([what, holds]) => (holds ? [] : [`${partition}: ${what}, but not here`]));
}

function under(items: readonly StoredItem[], prefix: string): StoredItem[] {
  return items.filter(({ SK }) => String(SK).startsWith(prefix));
}

function sorted(texts: readonly string[]): string {
  return texts.toSorted().join();
}
