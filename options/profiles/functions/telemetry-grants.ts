import { limits } from "../../../contract/api/limits.ts";
import { releaseName } from "../../../edge/project/pointer.ts";
import { type ProjectActor, tokenOf } from "../../../functions/domain/authentication.ts";
import { playUrl, previewUrl } from "../../../functions/domain/projects/play-url.ts";
import { assertRoom } from "../../../functions/domain/projects/quota.ts";
import { openPreviews } from "../../../functions/domain/projects/state.ts";
import { ServiceError } from "../../../functions/domain/service-error.ts";
import type { Project } from "../../../functions/entities/project.ts";
import { readAccount } from "../../../functions/table/accounts/account-items.ts";
import { ttlAfter } from "../../../functions/table/attributes.ts";
import { newId } from "../../../functions/table/ids.ts";
import { readLedger } from "../../../functions/table/projects/ledger.ts";
import { profilePagePath } from "../contract/profile-page.ts";
import type { Profile } from "./profile.ts";
import { insertGrant, markGrantEnded, readProfile } from "./profile-items.ts";
import { RawGrant } from "./raw-grant.ts";
import { profilesAmount } from "./swept-profiles.ts";

/** A grant as its maker gets it, once. */
export interface CreatedGrant {
  readonly profile: Profile;
  /** URL of the page that measures. Its fragment has the grant and the release's name at the edge, with which the page compares. */
  readonly url: string;
}

/**
 * Creates a grant for a release that can be played now, with an empty profile.
 *
 * @param releaseId undefined: the live release
 * @throws ServiceError `release_not_found` if nothing is live; `preview_not_found` if the release cannot be played;
 *   `telemetry_grant_limit_reached`; `quota_exceeded`
 */
export async function createTelemetryGrant(
  actor: ProjectActor,
  releaseId: string | undefined,
  now: Date,
): Promise<CreatedGrant> {
  const { account, project } = actor;
  const played = playedRelease(project, releaseId, now);
  const active = activeGrants(account.telemetryGrants, now);
  if (Object.keys(active).length >= limits.telemetryGrantsPerAccount)
    throw new ServiceError("telemetry_grant_limit_reached");
  assertRoom({ project, ledger: await readLedger(project.ownerKey) }, profilesAmount(1));
  const raw = RawGrant.generate();
  const token = tokenOf(actor);
  const ttl = Math.floor(now.getTime() / 1_000) + limits.telemetryGrantSeconds;
  const profile: Profile = {
    id: newId(now),
    releaseId: played.id,
    createdAt: now.toISOString(),
    grantKey: raw.key,
    accountKey: account.key,
    grantExpiresAt: new Date(ttl * 1_000).toISOString(),
    ...{ bytes: 0, records: 0, pages: [], pageRecords: 0 },
    ttl: ttlAfter(now, limits.profileRetentionDays),
  };
  const grant = {
    hash: raw.hash,
    profileId: profile.id,
    slug: project.slug,
    ownerKey: project.ownerKey,
    ...(project.publisherEpoch !== undefined && { publisherEpoch: project.publisherEpoch }),
    accountKey: account.key,
    ...(account.approvalEpoch !== undefined && { approvalEpoch: account.approvalEpoch }),
    ...(token && { tokenId: token.id }),
    origin: new URL(played.url).origin,
    ...played.since,
    ttl,
  };
  const telemetryGrants = { ...active, [profile.id]: profile.grantExpiresAt };
  await insertGrant({ grant, profile, account, project, telemetryGrants, token, now });
  return {
    profile,
    url: `${new URL(profilePagePath, played.url).href}#${raw.reveal()}.${releaseName(played.manifest)}`,
  };
}

/** A release's URL, and since when it is live or previewed: a grant is void if it was since taken offline and put back. */
function playedRelease(project: Project, releaseId: string | undefined, now: Date) {
  const { currentRelease: live } = project;
  const id = releaseId ?? live?.id;
  if (id === undefined)
    throw new ServiceError("release_not_found", {
      detail: "No release is live. Publish one, or name one with a preview.",
    });
  const preview = openPreviews(project, now).find((each) => each.releaseId === id);
  const url = live?.id === id ? playUrl(project) : preview ? previewUrl(project, preview) : null;
  const manifest = live?.id === id ? live.manifest : preview?.manifest;
  if (url === null || manifest === undefined)
    throw new ServiceError("preview_not_found", {
      detail: "Only a release that can be played can be profiled: make it live, or open a preview of it.",
    });
  const { offlineEpoch } = project;
  const ofPreview = preview ? { previewOpenedAt: preview.openedAt } : {};
  const ofLive = offlineEpoch === undefined ? {} : { offlineEpoch };
  return { id, url, manifest, since: live?.id === id ? ofLive : ofPreview };
}

function activeGrants(grants: Readonly<Record<string, string>> = {}, now: Date): Record<string, string> {
  return Object.fromEntries(Object.entries(grants).filter(([, expiresAt]) => Date.parse(expiresAt) > now.getTime()));
}

/**
 * Ends the grant of a profile, which stays, and makes room among its maker's ten, whoever ends it. One that has ended stays so.
 *
 * @throws ServiceError `profile_not_found`
 */
export async function endTelemetryGrant(actor: ProjectActor, id: string, now: Date): Promise<void> {
  const { account, project } = actor;
  const profile = await readProfile(project.slug, id);
  if (profile === undefined || isGone(profile, now)) throw new ServiceError("profile_not_found");
  if (profile.endedAt !== undefined) return;
  const maker = profile.accountKey === account.key ? account : await readAccount(profile.accountKey);
  const isCounted = maker?.telemetryGrants?.[id] !== undefined;
  await markGrantEnded({ project, profile, isCounted, token: tokenOf(actor), now });
}

/** Time until which a grant can add to its profile; undefined if it has ended. */
export function grantEndOf({ endedAt, grantExpiresAt }: Profile, now: Date): string | undefined {
  return endedAt === undefined && Date.parse(grantExpiresAt) > now.getTime() ? grantExpiresAt : undefined;
}

/** DynamoDB deletes expired items late. */
export function isGone({ ttl }: Profile, now: Date): boolean {
  return ttl * 1_000 <= now.getTime();
}
