import { limits } from "../../../contract/api/limits.ts";
import { cursorAfter, type Page, sliceOf } from "../../../functions/domain/pages.ts";
import { openPreviews } from "../../../functions/domain/projects/state.ts";
import { ServiceError } from "../../../functions/domain/service-error.ts";
import { tokenStatus } from "../../../functions/domain/tokens/tokens.ts";
import type { Project } from "../../../functions/entities/project.ts";
import { keyOfPreview } from "../../../functions/table/projects/preview-items.ts";
import type { TelemetryRecord } from "../contract/telemetry-records.ts";
import type { Profile, TelemetryGrant } from "./profile.ts";
import { addTelemetry, readBasis, readGrant, readProfile, readProfiles, readTelemetry } from "./profile-items.ts";
import type { RawGrant } from "./raw-grant.ts";
import { grantEndOf, isGone } from "./telemetry-grants.ts";

/** Telemetry that the measuring page sends. */
export interface Telemetry {
  /** Id of one opening of the page. */
  readonly page: string;
  /** Number of this page's records that come before. */
  readonly first: number;
  readonly records: readonly TelemetryRecord[];
}

/** Records of a page that a profile has, and room that it still has. */
interface Received {
  readonly received: number;
  readonly bytesLeft: number;
}

/** Each request counts for so many bytes more, so that small ones do not fill the table. */
const bytesPerRequest = 256;

/**
 * Adds records to the profile of a grant. Those that it has already are left out, so a request can be sent again.
 *
 * @param origin from which the request comes
 * @throws ServiceError `telemetry_grant_invalid` if there is no such grant, it has ended, or anything that it rests on has;
 *   `origin_not_allowed`; `profile_conflict` if records are missing before, or another page goes on with the profile;
 *   `profile_full`
 */
export async function sendTelemetry(
  { raw, origin }: { readonly raw: RawGrant; readonly origin: string | undefined },
  telemetry: Telemetry,
  now: Date,
): Promise<Received> {
  const grant = await readGrant(raw.key);
  if (grant === undefined || !raw.matches(grant.hash)) throw new ServiceError("telemetry_grant_invalid");
  const { profile, project } = await findBasis(grant, now);
  if (origin !== grant.origin) throw new ServiceError("origin_not_allowed");
  const isKnown = profile.pages.at(-1) === telemetry.page;
  const had = isKnown ? profile.pageRecords : 0;
  assertFollows(profile, telemetry, isKnown);
  const records = telemetry.records.slice(had - telemetry.first);
  if (isKnown && records.length === 0) return { received: had, bytesLeft: limits.bytesPerProfile - profile.bytes };
  const next = nextProfile(profile, { page: telemetry.page, isKnown, had, records });
  await addTelemetry({ grant, project, profile, next, records, now });
  return { received: next.pageRecords, bytesLeft: limits.bytesPerProfile - next.bytes };
}

/**
 * The profile of a grant and its project, if all that the grant rests on still holds; the transaction that adds to it has the same conditions.
 *
 * @throws ServiceError `telemetry_grant_invalid`
 */
async function findBasis(grant: TelemetryGrant, now: Date): Promise<{ profile: Profile; project: Project }> {
  const { profile, project, account, token } = await readBasis(grant);
  const isOfProject =
    project?.ownerKey === grant.ownerKey &&
    project.publisherEpoch === grant.publisherEpoch &&
    project.ownerKey === grant.accountKey &&
    (project.deletedAt ?? project.suspension) === undefined &&
    isPlayed(project, grant, now);
  const isOfAccount =
    account !== undefined && account.suspension === undefined && account.approvalEpoch === grant.approvalEpoch;
  const isOfToken = grant.tokenId === undefined || (token !== undefined && tokenStatus(token, now) === "active");
  if (profile && isOfProject && isOfAccount && isOfToken && grantEndOf(profile, now) !== undefined)
    return { profile, project };
  throw new ServiceError("telemetry_grant_invalid");
}

/** Whether a project has had something to play at a grant's origin since it was made: a live release, or the same preview. */
function isPlayed(project: Project, { origin, ...grant }: TelemetryGrant, now: Date): boolean {
  const [label] = new URL(origin).hostname.split(".");
  const { slug, currentRelease, offlineEpoch } = project;
  if (label === slug) return currentRelease !== undefined && offlineEpoch === grant.offlineEpoch;
  const preview = openPreviews(project, now).find((each) => keyOfPreview(slug, each) === label);
  return preview !== undefined && preview.openedAt === grant.previewOpenedAt;
}

function assertFollows({ pages, pageRecords }: Profile, { page, first }: Telemetry, isKnown: boolean): void {
  if (!isKnown && pages.includes(page))
    throw conflict("The link was opened again, and that page goes on with the profile.");
  const had = isKnown ? pageRecords : 0;
  if (first > had) throw conflict(`The profile has ${had} records of this page, and not those before ${first}.`);
}

function conflict(detail: string): ServiceError {
  return new ServiceError("profile_conflict", { detail });
}

interface NextRecords {
  readonly page: string;
  readonly isKnown: boolean;
  readonly had: number;
  readonly records: readonly TelemetryRecord[];
}

/** @throws ServiceError `profile_full` */
function nextProfile(profile: Profile, { page, isKnown, had, records }: NextRecords) {
  const bytes = profile.bytes + Buffer.byteLength(JSON.stringify(records)) + bytesPerRequest;
  const pages = isKnown ? profile.pages : [...profile.pages, page];
  if (bytes > limits.bytesPerProfile || pages.length > limits.pagesPerProfile) throw new ServiceError("profile_full");
  const device = profile.device ?? deviceOf(records);
  return {
    ...{ bytes, pages, records: profile.records + records.length, pageRecords: had + records.length },
    ...(device !== undefined && { device }),
  };
}

function deviceOf(records: readonly TelemetryRecord[]): string | undefined {
  const device = records.find((record) => record.type === "device");
  return device && [device.browser, device.graphics].filter(Boolean).join(", ");
}

/** The profiles of a project, the newest first. */
export async function listProfiles({ slug }: Project, page: Page, now: Date) {
  const list = `profiles of ${slug}`;
  const { items, last } = await readProfiles(slug, sliceOf(page, list));
  return { profiles: items.filter((profile) => !isGone(profile, now)), nextCursor: cursorAfter(last, list) };
}

/**
 * A profile with its records.
 *
 * @throws ServiceError `profile_not_found`
 */
export async function getProfile({ slug }: Project, id: string, now: Date) {
  const [profile, records] = await Promise.all([readProfile(slug, id), readTelemetry(slug, id)]);
  if (profile === undefined || isGone(profile, now)) throw new ServiceError("profile_not_found");
  return { profile, records };
}
