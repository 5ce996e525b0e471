import { isDeepStrictEqual } from "node:util";
import { dayMilliseconds, limits } from "../../../contract/api/limits.ts";
import { includesScope } from "../../../contract/api/tokens/scopes.ts";
import type { Preview, Project } from "../../entities/project.ts";
import type { Release } from "../../entities/release.ts";
import { keys } from "../../table/keys.ts";
import { newPreviewDigits, storeEnded, storeShown } from "../../table/projects/preview-items.ts";
import { readItems } from "../../table/read.ts";
import { filesDigestOf } from "../../table/releases/open-releases.ts";
import { changeBy, type ProjectActor, tokenOf } from "../authentication.ts";
import { assertCopies } from "../releases/copies.ts";
import { isPreviewOnly, openerOf } from "../releases/openers.ts";
import { assertComplete, expiryOf, findVisible } from "../releases/releases.ts";
import { ServiceError } from "../service-error.ts";
import { bringToEdge, type EdgeState, ownChange } from "./pointers.ts";
import { openPreviews } from "./state.ts";

/** A preview, with the release that it shows. */
export interface PreviewedRelease {
  readonly preview: Preview;
  readonly release: Release;
}

interface ShownPreview extends PreviewedRelease {
  readonly edge: EdgeState;
}

interface PreviewRequest {
  readonly releaseId: string;
  /** Undefined: it shows this release alone. */
  readonly name: string | undefined;
  /** Whether a preview of this name gets another URL than it had. */
  readonly newUrl: boolean;
}

/** A visit on a preview can be so many pushes behind. */
const keptEarlier = 2;

/**
 * Lets a release that is not live be played at a URL of its own, or at that of the preview which has the name: an open one until it
 * expires, an earlier one for as long as a new one. If all is so already, nothing is written but what the games' edge still lacks.
 *
 * @throws ServiceError `release_not_found`, `release_live`, `release_incomplete`, `copies_differ`, `release_withdrawn`, `too_many_previews`;
 *   `insufficient_scope` for an earlier release, `preview_of_another` if the preview of this name is not the caller's, who may not publish
 */
export async function openPreview(actor: ProjectActor, request: PreviewRequest, now: Date): Promise<ShownPreview> {
  const { project } = actor;
  const { releaseId, name } = request;
  const release = await findShowable(actor, releaseId, now);
  if (release.ttl === undefined) assertMayShowEarlier(actor);
  await assertComplete(actor, release);
  await assertCopies(actor, release, now);
  const open = openPreviews(project, now);
  // Releases with the same files have one URL without a name.
  const isSame = ({ manifest }: Preview) => name !== undefined || manifest === release.manifest;
  const current = open.find((each) => each.name === name && isSame(each));
  if (current?.name !== undefined) assertMayChange(actor, current);
  const others = open.filter((each) => each !== current);
  assertFewPreviews(actor, current, others);
  const previewOnly = isPreviewOnly(actor);
  const preview = nextPreview(current, { ...request, release, openedBy: openerOf(actor), previewOnly, now });
  if (isDeepStrictEqual(preview, current)) return await shown(project, { preview, release }, now);
  return await show(actor, { previews: [...others, preview], preview, release }, now);
}

/** @throws ServiceError `release_not_found`; `release_live`, also if the live release has the same files */
async function findShowable(actor: ProjectActor, releaseId: string, now: Date): Promise<Release> {
  const release = await findVisible(actor, releaseId, now);
  const { currentRelease } = actor.project;
  if (currentRelease === undefined || filesDigestOf(currentRelease) !== filesDigestOf(release)) return release;
  throw new ServiceError("release_live", { detail: "This release, or one with the same files, is live: play that." });
}

/**
 * Some places are left for who may publish.
 *
 * @throws ServiceError `too_many_previews`
 */
function assertFewPreviews(actor: ProjectActor, current: Preview | undefined, others: readonly Preview[]): void {
  if (others.length >= limits.previewsPerProject) throw new ServiceError("too_many_previews");
  if (current !== undefined || !isPreviewOnly(actor)) return;
  const { previewsOfPreviewOnly: most, previewsPerProject } = limits;
  if (others.filter(({ previewOnly }) => previewOnly).length < most) return;
  const detail = `Tokens and CI jobs that may only open previews have ${most} of the project's ${previewsPerProject} at most. End one of them.`;
  throw new ServiceError("too_many_previews", { detail });
}

/**
 * Releases that were replaced may have been replaced for a reason: only somebody who could make such a release live again may
 * show its files again.
 *
 * @throws ServiceError `insufficient_scope`
 */
function assertMayShowEarlier(actor: ProjectActor): void {
  const token = tokenOf(actor);
  if (token === undefined || (token.job === undefined && includesScope(token.scopes, "publish"))) return;
  const detail = "A preview of a release that was live before needs a person, or a token with the scope publish.";
  throw new ServiceError("insufficient_scope", { detail });
}

interface ShowRequest extends PreviewRequest {
  readonly release: Release;
  readonly openedBy: string | undefined;
  readonly previewOnly: boolean;
  readonly now: Date;
}

/** Preview as it is when it shows a release. */
function nextPreview(current: Preview | undefined, request: ShowRequest): Preview {
  const { name, newUrl, release, openedBy, now } = request;
  const { id: releaseId, manifest, ttl = endOfDay(now, limits.openReleaseLifetimeSeconds / 86_400) } = release;
  const {
    kept,
    openedAt,
    openedBy: opener,
    previewOnly,
  } = current ?? { openedAt: now.toISOString(), openedBy, previewOnly: request.previewOnly };
  const digits = newUrl ? undefined : current?.digits;
  const showed = digits === undefined || current === undefined ? [] : [current.manifest, ...(current.earlier ?? [])];
  const earlier = [...new Set(showed)].filter((digest) => digest !== manifest).slice(0, keptEarlier);
  return {
    ...(name !== undefined && { name, digits: digits ?? newPreviewDigits() }),
    releaseId,
    manifest,
    ...(earlier.length > 0 && { earlier }),
    openedAt,
    expiresAt: kept ? Math.max(ttl, keptUntil(now)) : ttl,
    ...(kept && { kept }),
    ...(opener !== undefined && { openedBy: opener }),
    ...(previewOnly && { previewOnly }),
  };
}

/** Epoch seconds, the same for a whole UTC day: a request that is sent again changes nothing. */
function endOfDay(now: Date, days: number): number {
  return ((Math.floor(now.getTime() / dayMilliseconds) + days + 1) * dayMilliseconds) / 1_000;
}

function keptUntil(now: Date): number {
  return endOfDay(now, limits.keptPreviewDays);
}

/**
 * Whoever may publish may change every preview.
 *
 * @throws ServiceError `preview_of_another`
 */
function assertMayChange(actor: ProjectActor, { openedBy }: Preview): void {
  if (isPreviewOnly(actor) && openedBy !== openerOf(actor)) throw new ServiceError("preview_of_another");
}

/**
 * Stores what a preview shows, and until when.
 *
 * @throws ServiceError `release_withdrawn` if a release with the same files and settings was: its files are not public any more
 */
async function show(
  actor: ProjectActor,
  change: { readonly previews: readonly Preview[]; readonly preview: Preview; readonly release: Release },
  now: Date,
): Promise<ShownPreview> {
  const { project } = actor;
  const { preview, release } = change;
  if (!(await storeShown(project, change, changeBy(actor, now)))) throw new ServiceError("release_withdrawn");
  const longer = release.ttl && { ttl: Math.max(release.ttl, preview.expiresAt) };
  return await shown(project, { preview, release: { ...release, ...longer } }, now);
}

async function shown(project: Project, previewed: PreviewedRelease, now: Date): Promise<ShownPreview> {
  return { ...previewed, edge: await bringToEdge(ownChange(project), now) };
}

/** Whether a preview is called so: one without a name by its release. */
const isCalled = (called: string) => (preview: Preview) => (preview.name ?? preview.releaseId) === called;

/**
 * Keeps a preview for longer than others, with its release if that is open, or no longer.
 *
 * @throws ServiceError `preview_not_found`, `release_withdrawn`
 */
export async function updatePreview(
  actor: ProjectActor,
  { called, isKept }: { readonly called: string; readonly isKept: boolean },
  now: Date,
): Promise<ShownPreview> {
  const { project } = actor;
  const open = openPreviews(project, now);
  const current = open.find(isCalled(called));
  if (current === undefined) throw new ServiceError("preview_not_found");
  const release = await findShowable(actor, current.releaseId, now);
  const { kept: _, ...rest } = current;
  const preview: Preview = isKept
    ? { ...rest, kept: true, expiresAt: Math.max(release.ttl ?? 0, keptUntil(now)) }
    : { ...rest, expiresAt: Math.min(current.expiresAt, current.kept ? expiryOf(now) : current.expiresAt) };
  if (isDeepStrictEqual(preview, current)) return await shown(project, { preview, release }, now);
  const previews = open.map((each) => (each === current ? preview : each));
  return await show(actor, { previews, preview, release }, now);
}

/**
 * Ends the previews that show a release. If there are none, nothing is written but what the games' edge still lacks.
 *
 * @throws ServiceError `preview_of_another` as {@link openPreview} does
 */
export async function endPreview(actor: ProjectActor, releaseId: string, now: Date): Promise<EdgeState> {
  return await end(actor, (preview) => preview.releaseId === releaseId, now);
}

/**
 * Ends a preview, whatever it shows by now. If there is none that is called so, nothing is written but what the games' edge still
 * lacks.
 *
 * @throws ServiceError `preview_of_another` as {@link openPreview} does
 */
export async function deletePreview(actor: ProjectActor, called: string, now: Date): Promise<EdgeState> {
  return await end(actor, isCalled(called), now);
}

async function end(actor: ProjectActor, isEnding: (preview: Preview) => boolean, now: Date): Promise<EdgeState> {
  const { project } = actor;
  const open = openPreviews(project, now);
  for (const preview of open.filter(isEnding)) assertMayChange(actor, preview);
  const left = open.filter((preview) => !isEnding(preview));
  if (left.length < (project.previews ?? []).length) await storeEnded(project, left, { token: tokenOf(actor), now });
  return await bringToEdge(ownChange(project), now);
}

/** The previews of a project that are open, the first one that was opened first: those that the actor opened, if it may not publish. */
export async function listPreviews(actor: ProjectActor, now: Date): Promise<PreviewedRelease[]> {
  const { project } = actor;
  const opener = openerOf(actor);
  const isListed = ({ openedBy }: Preview) => !isPreviewOnly(actor) || openedBy === opener;
  const previews = openPreviews(project, now).filter(isListed);
  // Several can show one release, and a batch has no key twice.
  const ids = [...new Set(previews.map(({ releaseId }) => releaseId))];
  const items = await readItems(ids.map((id) => keys.release(project.slug, id)));
  const releases = new Map(ids.map((id, index) => [id, items[index]]));
  return previews.flatMap((preview) => {
    const release = releases.get(preview.releaseId);
    return release ? [{ preview, release }] : [];
  });
}
