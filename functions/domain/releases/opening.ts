import { isDeepStrictEqual } from "node:util";
import { limits } from "../../../contract/api/limits.ts";
import { type ManifestFile, seenBytesOf } from "../../../contract/api/releases/manifest-rules.ts";
import { changedSettings, type ReleaseSettings } from "../../../contract/api/releases/release-settings.ts";
import type { Decisions, ReleaseChoices } from "../../entities/decisions.ts";
import type { Idempotency } from "../../entities/idempotent-creation.ts";
import type { CountedAmount, Ledger, Project } from "../../entities/project.ts";
import type { JobRun } from "../../entities/publisher.ts";
import type { Release } from "../../entities/release.ts";
import type { DeletionIntent } from "../../entities/sweep-run.ts";
import { findCopyFacts } from "../../files/copy-facts.ts";
import { type FileContent, Manifest, writeManifest } from "../../files/manifests.ts";
import { newId } from "../../table/ids.ts";
import {
  countObject,
  extendRelease,
  filesDigestOf,
  insertRelease,
  type OpenRelease,
  type Preconditions,
  readOpenRelease,
} from "../../table/releases/open-releases.ts";
import { readRelease } from "../../table/releases/release-items.ts";
import { type ProjectActor, tokenOf } from "../authentication.ts";
import { amountOf, assertRoom, hasRoom, plus } from "../projects/quota.ts";
import { ServiceError } from "../service-error.ts";
import { assertNotBeingDeleted } from "../sweep/deletion-intent.ts";
import { compareReleases, returningLoad } from "./changes.ts";
import { startCheck } from "./copies.ts";
import { decidedFor, decisionsOf } from "./decided.ts";
import { isPreviewOnly, openerOf } from "./openers.ts";
import {
  assertCurrent,
  assertNotWithdrawn,
  type ComparedRelease,
  type ExpectedRelease,
  expiryOf,
  findRelease,
  listReleases,
  missingFiles,
  readLiveManifest,
  readUnexpired,
} from "./releases.ts";
import { type IndexUrl, indexUrls, type OlderFile, olderFiles, signUploads, type Uploads } from "./uploads.ts";

/** Release that a developer wants to publish. */
export interface ReleaseRequest {
  /** All files, or the id of the live release, whose files it has. */
  readonly content: { readonly files: readonly ManifestFile[] } | { readonly filesOf: string };
  readonly settings: ReleaseSettings;
  readonly expectCurrent: ExpectedRelease;
  readonly description: ReleaseDescription;
  /** Checks and compares everything, and changes nothing. */
  readonly dryRun: boolean;
}

/** Description of a release by its publisher. */
export type ReleaseDescription = Pick<
  Release,
  "message" | "changedSettings" | "source" | "picture" | "choices" | "provenance"
>;

/** A release with what it would change and what must be uploaded before it can go live. */
export interface CreatedRelease extends ComparedRelease {
  /** Undefined for a dry run that would open a new one. */
  readonly release: Release | undefined;
  readonly created: boolean;
  readonly missing: readonly FileContent[];
  /** Files of the live release from which parts of what is missing may be copied. */
  readonly indexes: readonly IndexUrl[];
  /** Older files that deltas may be made from; only for a dry run. */
  readonly olderFiles: readonly OlderFile[];
  /** Bytes for players who have the release that is live now. */
  readonly returning: Release["returning"];
  /** Upload URLs for the first missing files, if the request opened the release. */
  readonly uploads?: Uploads;
}

/**
 * Opens a release, or finds the one that has the same files and settings: the live one, if nothing is left to do, or an open one
 * (a resumed upload). Only files that the live release does not contain are looked for in the store. One that has the files of the live
 * release with other settings needs no upload, and takes the place of that release alone. A request that is repeated by
 * its idempotency key gets the release that it opened, whatever became of that.
 *
 * @throws ServiceError `current_release_changed`, naming the live release, also if the files are to be those of another one; `release_withdrawn` if a release with the same
 *   files and settings was withdrawn; `files_being_deleted` if a deletion names objects of it; `quota_exceeded`, naming
 *   whose quota; `open_release_limit_reached`; `idempotency_result_gone`
 */
export async function createRelease(
  actor: ProjectActor,
  request: ReleaseRequest,
  now: Date,
  idempotency?: Idempotency,
): Promise<CreatedRelease> {
  const { project } = actor;
  const { currentRelease } = project;
  const { manifest, description: given, expectCurrent } = await contentOf(project, request);
  const { digest, settings } = manifest;
  if (idempotency?.earlier) return await openedBefore(actor, manifest, idempotency.earlier.created, now);
  if (currentRelease && filesDigestOf(currentRelease) === manifest.filesDigest)
    return await alreadyLive(project.slug, currentRelease.id, manifest, now);
  assertCurrent(project, expectCurrent);
  const provenance = tokenOf(actor)?.job?.run;
  const description = { ...given, ...(provenance && { provenance }) };
  const opening = { actor, request: { ...request, expectCurrent, description }, manifest, digest, idempotency, now };
  const { dryRun } = request;
  const comparing = compareWithStored(actor, { manifest, dryRun }, now);
  const [compared, prepared] = await Promise.all([comparing, prepare(opening)]);
  const starting =
    dryRun || !manifest.hasCopies ? undefined : startCheck(project, { digest, previewOnly: isPreviewOnly(actor) }, now);
  if (prepared.existing) {
    await starting;
    return { release: prepared.existing, created: false, settings, ...compared };
  }
  const [opened] = await Promise.all([open(opening, prepared, compared), starting]);
  return { settings, ...compared, ...opened };
}

/** What a release has, what is said of it, and which one it may follow. */
type ReleaseContent = Pick<ReleaseRequest, "description" | "expectCurrent"> & { readonly manifest: Manifest };

/** @throws ServiceError `current_release_changed` if it is to have the files of a release that is not live */
async function contentOf(project: Project, request: ReleaseRequest): Promise<ReleaseContent> {
  const { content, settings, description, expectCurrent } = request;
  if ("filesOf" in content) return await contentOfLive(project, content.filesOf, request);
  return { manifest: Manifest.of(await withLiveDeltas(project, content.files), settings), description, expectCurrent };
}

/**
 * The files of the live release with other settings, and what was said of them. What is new stays said of the release that brought it.
 * The choices are those that a person has decided: a token's end with its release.
 */
async function contentOfLive(project: Project, filesOf: string, request: ReleaseRequest): Promise<ReleaseContent> {
  assertCurrent(project, filesOf);
  const [live, release, decisions] = await Promise.all([
    readLiveManifest(project),
    readRelease(project.slug, filesOf),
    decisionsOf(project),
  ]);
  const manifest = live.withSettings(request.settings);
  const { picture, source = sourceOf(release?.provenance) } = release ?? {};
  const description = {
    ...request.description,
    changedSettings: changedSettings(live.settings, manifest.settings),
    ...(picture !== undefined && { picture }),
    ...(source && { source }),
    choices: choicesWith(decisions, { live, next: manifest, picture }),
  };
  return { manifest, description, expectCurrent: filesOf };
}

function sourceOf(run: JobRun | undefined): Release["source"] {
  return run && { commit: run.commit, runUrl: run.runUrl };
}

/** Who turns isolation off means it, also if the next build seems to need it. */
function choicesWith(
  decisions: Decisions,
  { live, next, picture }: { readonly live: Manifest; readonly next: Manifest; readonly picture: string | undefined },
): ReleaseChoices {
  const { isolationOff, picture: chosen, ...choices } = decidedFor(decisions, live).choices;
  const isTurnedOff = next.settings.isolation === false && (live.settings.isolation !== false || isolationOff);
  return {
    ...choices,
    ...(chosen !== undefined && chosen.path === picture && { picture: true }),
    ...(isTurnedOff && { isolationOff: true }),
  };
}

/**
 * The files with the deltas that those of the live release have, if their bytes stay, so that players who have still older ones
 * load a delta too. Those of the request come first. What nobody has checked of the live release stays there.
 */
async function withLiveDeltas(project: Project, files: readonly ManifestFile[]): Promise<readonly ManifestFile[]> {
  if (project.currentRelease?.filesDigest === undefined) return files;
  const [live, facts] = await Promise.all([
    readLiveManifest(project),
    findCopyFacts(project.slug, project.currentRelease.manifest),
  ]);
  if (facts === undefined) return files;
  const liveFiles = live.files();
  return files.map((file) => {
    const liveFile = liveFiles.get(file.path);
    if (liveFile?.deltas === undefined || seenBytesOf({ ...liveFile, path: file.path }) !== seenBytesOf(file))
      return file;
    const { deltas = [] } = file;
    const dictionaries = new Set(deltas.map(({ dictionary }) => dictionary));
    const more = liveFile.deltas.filter((copy) => !dictionaries.has(copy.dictionary) && facts.isTrue({ file, copy }));
    return { ...file, deltas: [...deltas, ...more].slice(0, limits.deltasPerFile) };
  });
}

interface Opening {
  readonly actor: ProjectActor;
  readonly request: ReleaseRequest;
  readonly manifest: Manifest;
  readonly digest: string;
  readonly idempotency: Idempotency | undefined;
  readonly now: Date;
}

async function openedBefore(actor: ProjectActor, manifest: Manifest, id: string, now: Date): Promise<CreatedRelease> {
  const [release, compared] = await Promise.all([
    readUnexpired(actor.project.slug, id, now),
    compareWithStored(actor, { manifest, dryRun: false }, now),
  ]);
  if (release === undefined) throw new ServiceError("idempotency_result_gone");
  assertNotWithdrawn(release);
  return { release, created: true, settings: manifest.settings, ...compared };
}

async function alreadyLive(slug: string, id: string, manifest: Manifest, now: Date): Promise<CreatedRelease> {
  const { settings } = manifest;
  const release = await findRelease(slug, id, now);
  const changes = compareReleases(manifest, manifest);
  return { release, created: false, settings, changes, missing: [], indexes: [], olderFiles: [], returning: undefined };
}

async function compareWithStored(
  actor: ProjectActor,
  { manifest, dryRun }: { readonly manifest: Manifest; readonly dryRun: boolean },
  now: Date,
) {
  const { project } = actor;
  const live = await readLiveManifest(project);
  const changes = compareReleases(live, manifest);
  const [missing, older] = await Promise.all([
    missingFiles(actor, manifest, live),
    dryRun ? olderFiles(actor, { live, next: manifest }, now) : [],
  ]);
  const indexes = indexUrls(project, { live, missing }, now);
  return { changes, missing, indexes, olderFiles: older, returning: returningLoad(live, manifest) };
}

/** Facts that are known about a new release before the store has said what is missing. */
interface Preparation {
  readonly existing?: undefined;
  readonly ledger: Ledger | undefined;
  readonly deletion: DeletionIntent | undefined;
  readonly packed: Buffer;
  /** Whether the manifest is counted and stored already. */
  readonly isStored: boolean;
}

/**
 * Finds the open release, or prepares a new one. If there is room for all files, whichever are missing, the manifest is stored
 * at once, because the store is far away.
 */
async function prepare(opening: Opening): Promise<Preparation | { readonly existing: Release }> {
  const { actor, request, manifest, now } = opening;
  const { existing, ...read } = await findOpenRelease(actor.project, manifest, now);
  // Missing files of an open release were counted when it was opened.
  if (existing)
    return { existing: request.dryRun ? existing : await keepOpen(actor, existing, request.description, now) };
  assertFewOpen(actor.project);
  const prepared = { ...read, packed: await manifest.pack(), isStored: false };
  const all = [...manifest.sizes()].map(([sha256, size]) => ({ sha256, size }));
  if (request.dryRun || !hasRoom({ ...actor, ...read }, amountWith(prepared, all, actor))) return prepared;
  await storeManifest(opening, prepared);
  return { ...prepared, isStored: true };
}

function assertFewOpen({ openReleases = 0 }: Project): void {
  if (openReleases >= limits.openReleasesPerProject) throw new ServiceError("open_release_limit_reached");
}

/** Amount that these files and the manifest add to the ledger. */
function amountWith({ packed }: Preparation, files: readonly FileContent[], actor: ProjectActor): CountedAmount {
  const more = plus(amountOf(files), { bytes: packed.byteLength, objects: 1 });
  return isPreviewOnly(actor) ? { ...more, drafts: more } : more;
}

async function storeManifest(opening: Opening, { packed, deletion }: Preparation): Promise<void> {
  const { actor, manifest, digest } = opening;
  assertNotBeingDeleted(manifest, deletion);
  await countObject(preconditionsOf(opening), packed.byteLength);
  await writeManifest(actor.project.slug, digest, packed);
}

function preconditionsOf({ actor, request, idempotency, now }: Opening): Preconditions {
  const expectsCurrent = request.expectCurrent !== undefined;
  const previewOnly = isPreviewOnly(actor);
  return { project: actor.project, expectsCurrent, token: tokenOf(actor), previewOnly, idempotency, now };
}

/** If calls with one manifest race, one creates the release; the others meet a conflict and find it when they retry. */
async function open(
  opening: Opening,
  prepared: Preparation,
  { missing, returning }: Pick<CreatedRelease, "missing" | "returning">,
): Promise<Pick<CreatedRelease, "release" | "created" | "uploads">> {
  const { actor, request, manifest, digest, now } = opening;
  const files = manifest.list();
  const more = amountWith(prepared, missing, actor);
  await assertRoomForDraft(actor, { ledger: prepared.ledger, more, now });
  if (request.dryRun) return { release: undefined, created: false };
  if (!prepared.isStored) await storeManifest(opening, prepared);
  const release = {
    id: newId(now),
    manifest: digest,
    ...filesDigestIn(manifest),
    files: files.length,
    bytes: amountOf(files).bytes,
    ...(returning && { returning }),
    createdAt: now.toISOString(),
    ...request.description,
    ...(isPreviewOnly(actor) && { previewOnly: true as const, openers: [openerOf(actor) ?? ""] }),
    describedBy: describerOf(actor),
    reserved: { bytes: more.bytes, objects: more.objects },
    ttl: expiryOf(now),
  };
  await insertRelease(preconditionsOf(opening), release, amountOf(missing));
  const first = missing.slice(0, limits.firstUploadUrls);
  // The transaction has checked that the token is still active.
  return {
    release,
    created: true,
    ...(first.length > 0 && { uploads: signUploads({ actor, release }, first, now) }),
  };
}

/**
 * Room for a draft. A refusal names the drafts that hold most of the project's room, of those that the actor sees.
 *
 * @throws ServiceError `quota_exceeded`
 */
async function assertRoomForDraft(
  actor: ProjectActor,
  { ledger, more, now }: { readonly ledger: Ledger | undefined; readonly more: CountedAmount; readonly now: Date },
): Promise<void> {
  const { project } = actor;
  try {
    assertRoom({ project, ledger }, more);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { releases } = await listReleases(actor, { limit: draftsRead }, now);
    const held = releases
      .filter(({ ttl }) => ttl !== undefined)
      .map(({ id, reserved }) => ({ id, bytes: reserved?.bytes ?? 0 }))
      .toSorted((a, b) => b.bytes - a.bytes);
    if (held.length === 0) throw error;
    const largest = held.slice(0, draftsNamed).map(({ id, bytes }) => `${id} (${bytes.toLocaleString("en")} bytes)`);
    const drafts = `Drafts of this project that reserve most: ${largest.join(", ")}. The room of a deleted one is free within an hour and a half.`;
    throw new ServiceError("quota_exceeded", { detail: `${error.detail} ${drafts}` });
  }
}

const draftsRead = 100;
const draftsNamed = 5;
const extensionIntervalSeconds = 86_400;
/** Openers of a draft that are remembered, of those who may only open previews. */
const openersKept = 20;

/** A person's word is that of the tokens with which the same person publishes. */
function describerOf(actor: ProjectActor): string {
  const isPerson = !isPreviewOnly(actor) && tokenOf(actor)?.job === undefined;
  return isPerson ? actor.account.key : (openerOf(actor) ?? "");
}

/**
 * Lets an open release expire 7 days from now, at most once a day or with another description. Nothing that somebody else has said
 * of it stays on what a caller may publish; who may only open previews says nothing of what others opened.
 */
async function keepOpen(
  actor: ProjectActor,
  release: OpenRelease,
  description: ReleaseDescription,
  now: Date,
): Promise<Release> {
  const { message: _, messageEditedAt: __, source: ___, picture: ____, choices: _____, ...others } = release;
  const { changedSettings: _______, ...undescribed } = others;
  const { openers = [] } = release;
  const opener = openerOf(actor);
  const isOwn = release.previewOnly === true && openers[0] === opener;
  const describedBy = describerOf(actor);
  const { previewOnly: ______, ...described } = release.describedBy === describedBy ? release : undescribed;
  const extended = isPreviewOnly(actor)
    ? { ...release, ...(isOwn && description), openers: withOpener(openers, opener) }
    : { ...described, ...description, describedBy };
  // A kept preview keeps its release for longer.
  const next = { ...extended, ttl: Math.max(release.ttl, expiryOf(now)) };
  const isDescribed = isDeepStrictEqual(next, { ...release, ttl: next.ttl });
  if (isDescribed && next.ttl - release.ttl < extensionIntervalSeconds) return release;
  await extendRelease(actor.project, { current: release, next }, { token: tokenOf(actor), now });
  return next;
}

/** The first one, who opened it, stays. */
function withOpener(openers: readonly string[], opener = ""): readonly string[] {
  if (openers.includes(opener)) return openers;
  return [...openers.slice(0, 1), ...openers.slice(1).slice(2 - openersKept), opener];
}

async function findOpenRelease(
  project: Project,
  manifest: Manifest,
  now: Date,
): Promise<{
  existing: OpenRelease | undefined;
  deletion: DeletionIntent | undefined;
  ledger: Ledger | undefined;
}> {
  const digests = { manifest: manifest.digest, ...filesDigestIn(manifest) };
  const { openManifest, withdrawn, ...read } = await readOpenRelease(project, digests);
  if (withdrawn !== undefined) throw sameFilesWithdrawn(withdrawn.releaseId);
  const release = openManifest && (await readUnexpired(project.slug, openManifest.releaseId, now));
  return { existing: release?.ttl === undefined ? undefined : { ...release, ttl: release.ttl }, ...read };
}

/** Digest in the form that a release has. */
function filesDigestIn({ digest, filesDigest }: Manifest): Pick<Release, "filesDigest"> {
  return filesDigest === digest ? {} : { filesDigest };
}

function sameFilesWithdrawn(releaseId: string): ServiceError {
  const detail = `Release ${releaseId} had exactly these files and settings and was deleted. Change a file, then publish.`;
  return new ServiceError("release_withdrawn", { detail });
}
