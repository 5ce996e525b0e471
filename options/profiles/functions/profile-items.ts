import type { Account } from "../../../functions/entities/account.ts";
import type { Project } from "../../../functions/entities/project.ts";
import type { Token } from "../../../functions/entities/token.ts";
import * as environment from "../../../functions/environment.ts";
import { asRead, itemExists } from "../../../functions/table/expressions.ts";
import { keys } from "../../../functions/table/keys.ts";
import { countInAccount, counting, roomCondition } from "../../../functions/table/projects/ledger.ts";
import { openCondition, unchangedCondition } from "../../../functions/table/projects/project-items.ts";
import { readItems, readRange, readWhole, type Slice } from "../../../functions/table/read.ts";
import { activeTokenCheck } from "../../../functions/table/tokens/token-items.ts";
import { change, check, putNew, remove, transact } from "../../../functions/table/transaction.ts";
import type { TelemetryRecord } from "../contract/telemetry-records.ts";
import { profileKeys, profileRanges } from "./keys.ts";
import type { Profile, TelemetryGrant } from "./profile.ts";
import { profilesAmount } from "./swept-profiles.ts";

/*
 * Profiles and the grants that add to them (docs/decisions/0072-telemetry-grants.md).
 */

/** A grant to be stored with its empty profile. */
interface Insertion {
  readonly grant: TelemetryGrant;
  readonly profile: Profile;
  /** As both were read. */
  readonly account: Account;
  readonly project: Project;
  /** The account's grants from then on. */
  readonly telemetryGrants: Readonly<Record<string, string>>;
  readonly token: Token | undefined;
  readonly now: Date;
}

/**
 * Stores a grant and its profile, its place in the account's grants and what the profile takes of the quota, all or nothing,
 * provided that account and project are as they were read. So the limit of grants is exact when calls race.
 *
 * @throws ConflictError
 */
export async function insertGrant({
  grant,
  profile,
  account,
  project,
  telemetryGrants,
  token,
  now,
}: Insertion): Promise<void> {
  const { slug, ownerKey } = project;
  const more = profilesAmount(1);
  const { expression, ...counted } = counting(more);
  const room = roomCondition(environment.projectQuota(), more);
  const same = asRead({ telemetryGrants: account.telemetryGrants, approvalEpoch: account.approvalEpoch });
  await transact({
    token: activeTokenCheck(token, now),
    account: change(
      keys.account(account.key),
      { telemetryGrants },
      same,
      asRead({ role: "dev", suspension: undefined }),
    ),
    project: change(keys.project(slug), `ADD ${expression}`, counted, unchangedCondition(project), room),
    ledger: countInAccount(ownerKey, more),
    grant: putNew(profileKeys.telemetryGrant(profile.grantKey), grant),
    profile: putNew(profileKeys.profile(slug, profile.id), profile),
  });
}

/** A grant to be ended. */
interface Ending {
  /** As both were read. */
  readonly project: Project;
  readonly profile: Profile;
  /** Whether the profile is among its maker's grants. */
  readonly isCounted: boolean;
  /** Token of the caller, who may be another person of the project than the maker. */
  readonly token: Token | undefined;
  readonly now: Date;
}

/**
 * Ends the grant of a profile: it is refused from then on, and is no longer among its maker's.
 *
 * @throws ConflictError
 */
export async function markGrantEnded({ project, profile, isCounted, token, now }: Ending): Promise<void> {
  await transact({
    token: activeTokenCheck(token, now),
    project: check(keys.project(project.slug), openCondition(project)),
    account: isCounted
      ? change(keys.account(profile.accountKey), "REMOVE telemetryGrants.#id", {
          condition: "attribute_exists(telemetryGrants.#id)",
          names: { "#id": profile.id },
        })
      : undefined,
    grant: remove(profileKeys.telemetryGrant(profile.grantKey)),
    profile: change(profileKeys.profile(project.slug, profile.id), { endedAt: now.toISOString() }, itemExists),
  });
}

export async function readGrant(key: string): Promise<TelemetryGrant | undefined> {
  const [grant] = await readItems([profileKeys.telemetryGrant(key)]);
  return grant;
}

/** All that a grant rests on. */
export async function readBasis({ slug, accountKey, tokenId, profileId }: TelemetryGrant) {
  const [profile, project, account, token] = await readItems([
    profileKeys.profile(slug, profileId),
    keys.project(slug),
    keys.account(accountKey),
    tokenId === undefined ? undefined : keys.token(accountKey, tokenId),
  ]);
  return { profile, project, account, token };
}

/** Addition of a request to a profile. */
interface Addition {
  readonly grant: TelemetryGrant;
  /** As both were read. */
  readonly project: Project;
  readonly profile: Profile;
  readonly next: Pick<Profile, "bytes" | "records" | "pages" | "pageRecords" | "device">;
  readonly records: readonly TelemetryRecord[];
  readonly now: Date;
}

/**
 * Adds records to a profile that is as it was read, provided that all its grant rests on still holds.
 *
 * @throws ConflictError
 */
export async function addTelemetry({ grant, project, profile, next, records, now }: Addition): Promise<void> {
  const { slug, ownerKey, publisherEpoch, accountKey, approvalEpoch, tokenId } = grant;
  const { bytes, records: count } = profile;
  const sameProject = asRead({
    ...{ ownerKey, publisherEpoch, previews: project.previews },
    offlineEpoch: project.offlineEpoch,
    ...{ deletedAt: undefined, suspension: undefined },
  });
  const isLive = project.currentRelease === undefined ? "attribute_not_exists" : "attribute_exists";
  await transact({
    token: tokenId === undefined ? undefined : activeTokenCheck({ accountKey, id: tokenId }, now),
    account: check(keys.account(accountKey), itemExists, asRead({ suspension: undefined, approvalEpoch })),
    project: check(keys.project(slug), sameProject, { condition: `${isLive}(currentRelease)` }),
    // Ending it deletes it.
    grant: check(profileKeys.telemetryGrant(profile.grantKey), itemExists),
    // Each addition makes it larger.
    profile: change(profileKeys.profile(slug, profile.id), next, asRead({ bytes })),
    chunk:
      records.length === 0
        ? undefined
        : putNew(profileKeys.telemetry(slug, profile.id, count), {
            first: count,
            records: JSON.stringify(records),
            ttl: profile.ttl,
          }),
  });
}

export async function readProfile(slug: string, id: string): Promise<Profile | undefined> {
  const [profile] = await readItems([profileKeys.profile(slug, id)]);
  return profile;
}

/** Profiles of a project, the newest first. */
export async function readProfiles(slug: string, slice: Slice) {
  return await readRange(profileRanges.profiles(slug), slice, { isDescending: true });
}

/** The records of a profile, in the order in which they came. */
export async function readTelemetry(slug: string, profileId: string): Promise<TelemetryRecord[]> {
  const chunks = await readWhole(profileRanges.telemetry(slug, profileId));
  return chunks.flatMap(({ records }) => JSON.parse(records) as TelemetryRecord[]);
}
