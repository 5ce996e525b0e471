import type * as z from "zod/mini";
import type * as previews from "../../contract/api/releases/previews.ts";
import { defaultSettings, type ReleaseSettings } from "../../contract/api/releases/release-settings.ts";
import type * as releases from "../../contract/api/releases/releases.ts";
import type * as uploads from "../../contract/api/releases/uploads.ts";
import { pictureUrl, playUrl, previewUrl } from "../domain/projects/play-url.ts";
import type { PreviewedRelease } from "../domain/projects/previews.ts";
import type { PathChanges } from "../domain/releases/changes.ts";
import type { ReleaseFiles } from "../domain/releases/files.ts";
import type { CreatedRelease, ReleaseRequest } from "../domain/releases/opening.ts";
import type { PackUpload } from "../domain/releases/packs.ts";
import type { PartUploads } from "../domain/releases/parts.ts";
import type { PublishResult } from "../domain/releases/publishing.ts";
import { type ComparedRelease, releaseStatus, type StoredComparison } from "../domain/releases/releases.ts";
import type { Uploads } from "../domain/releases/uploads.ts";
import type { ReleaseViewer } from "../domain/releases/viewer.ts";
import type { Project } from "../entities/project.ts";
import type { JobRun } from "../entities/publisher.ts";
import type { Release } from "../entities/release.ts";
import type { Publisher } from "../entities/token.ts";
import { scheduledReleaseView, timeOf } from "./views.ts";

/*
 * Views (see views.ts) of releases.
 */

type ReleaseView = z.infer<(typeof releases.getRelease)["responses"][200]>;
type ChangesView = z.infer<(typeof releases.compareRelease)["responses"][200]>;
type CreatedReleaseView = z.infer<(typeof releases.createRelease)["responses"][200]>;
type ComparedReleaseView = Omit<ChangesView, "choices" | "compared_with" | "copies" | "decided" | "pictures">;
type FilesView = z.infer<(typeof releases.listFiles)["responses"][200]>;
type UploadsView = z.infer<(typeof uploads.createUploads)["responses"][200]>;
type PackUploadView = z.infer<(typeof uploads.unpackFiles)["responses"][200]>;
type PartUploadsView = z.infer<(typeof uploads.continueUpload)["responses"][200]>;
type PreviewView = z.infer<(typeof previews.listPreviews)["responses"][200]>["previews"][number];
type PublishedView = z.infer<(typeof releases.publishRelease)["responses"][200]>;
type ReleaseCreation = z.infer<(typeof releases.createRelease)["body"]>;

export function releaseView(release: Release, project: Project, viewer: ReleaseViewer): ReleaseView {
  const {
    id,
    number = null,
    files,
    bytes,
    createdAt,
    publishedAt = null,
    message = null,
    messageEditedAt = null,
    changedSettings,
    source,
    provenance,
    ttl,
    publishedBy,
    firstPublished,
    returning,
    withdrawnAt = null,
    waiting,
  } = release;
  const status = releaseStatus(release, project);
  const isPrivate = status !== "live" && isOfAnother(release, viewer);
  return {
    id,
    number,
    status,
    files,
    bytes,
    created_at: createdAt,
    published_at: publishedAt,
    expires_at: ttl === undefined ? null : timeOf(ttl),
    play_url: status === "live" ? playUrl(project) : null,
    picture_url: status === "live" ? pictureUrl(project, project.currentRelease?.picture) : null,
    message: viewer.isCiJob || isPrivate ? null : message,
    message_edited_at: messageEditedAt,
    changed_settings: changedSettings ? [...changedSettings] : null,
    source: source && !isPrivate ? { commit: source.commit, run_url: source.runUrl ?? null } : null,
    provenance: provenance ? provenanceView(provenance) : null,
    published_by: publisherView(publishedBy, viewer),
    first_published_at: firstPublished?.at ?? null,
    first_published_by: publisherView(firstPublished?.by, viewer),
    schedule: scheduleOf(release, project, viewer),
    waiting: waiting ? { since: waiting.since, by: publisherView(waiting.by, viewer) } : null,
    returning_players: returningView(returning),
    false_copies: viewer.falseCopies.get(id) ?? 0,
    withdrawn_at: withdrawnAt,
  };
}

function scheduleOf({ id }: Release, { schedule }: Project, viewer: ReleaseViewer): ReleaseView["schedule"] {
  return schedule?.releaseId === id ? { at: schedule.at, by: publisherView(schedule.by, viewer) } : null;
}

function returningView(returning: Release["returning"]): ReleaseView["returning_players"] {
  return returning ? { bytes: returning.bytes, without_deltas: returning.withoutDeltas } : null;
}

function isOfAnother({ previewOnly, openers }: Release, viewer: ReleaseViewer): boolean {
  const { previewOnly: seen } = viewer;
  return seen !== undefined && !(previewOnly && openers?.[0] === seen.opener);
}

function provenanceView(run: JobRun): ReleaseView["provenance"] {
  const { provider, repository, repositoryId, commit, ref, workflow, actor, runUrl } = run;
  return { provider, repository, repository_id: repositoryId, commit, ref, workflow, actor, run_url: runUrl };
}

export function previewView(
  { preview, release }: PreviewedRelease,
  project: Project,
  viewer: ReleaseViewer,
): PreviewView {
  return {
    name: preview.name ?? null,
    release: releaseView(release, project, viewer),
    url: previewUrl(project, preview),
    expires_at: timeOf(preview.expiresAt),
    kept: preview.kept ?? false,
  };
}

function publisherView(
  publisher: Publisher | undefined,
  { account, isCiJob, others }: ReleaseViewer,
): ReleaseView["published_by"] {
  const isOwn = publisher?.accountKey === account.key;
  const person = isOwn ? account : publisher && !publisher.publisherId && others.get(publisher.accountKey);
  if (!publisher || !person) return null;
  const { token } = publisher;
  return {
    uid: person.uid,
    name: person.displayName ?? person.name,
    token: token && !isCiJob ? { id: token.id, name: isOwn ? token.name : null } : null,
  };
}

/** A release, what it would change for visitors, and which files are missing. */
export function createdReleaseView(
  { release, settings, changes, missing, indexes, olderFiles, returning, uploads }: CreatedRelease,
  project: Project,
  viewer: ReleaseViewer,
): CreatedReleaseView {
  return {
    release: release ? releaseView(release, project, viewer) : null,
    ...comparedReleaseView({ settings, changes }, project),
    missing: missing.map(({ sha256 }) => sha256),
    bytes_to_send: missing.reduce((sum, { size }) => sum + size, 0),
    first_uploads: uploads ? uploadsView(uploads) : null,
    indexes: [...indexes],
    older_files: olderFiles.map(({ isLive, ...file }) => ({ ...file, is_live: isLive })),
    returning_players: returningView(returning),
  };
}

/** A release beside another one, with its copies, what whoever published it had chosen, and what is decided for the next one. */
export function changesView(
  { comparedWith, copies, pictures, choices, decided, ...compared }: StoredComparison,
  project: Project,
): ChangesView {
  return {
    ...comparedReleaseView(compared, project),
    compared_with: comparedWith ?? null,
    copies: {
      checked: copies.isChecked,
      brotli: pathChangesView(copies.brotli),
      deltas: pathChangesView(copies.deltas),
      false: pathChangesView(copies.different),
    },
    pictures: [...pictures],
    choices: choicesView(choices),
    decided: { settings: settingsView(decided.settings), choices: choicesView(decided.choices) },
  };
}

function choicesView(choices: StoredComparison["choices"]): ChangesView["choices"] {
  const { leftOut = [], index = null, picture, isolationOff = false } = choices;
  return {
    left_out: [...leftOut],
    index,
    picture: picture ? { path: picture.path, size: picture.size, sha256: picture.sha256 } : null,
    isolation_off: isolationOff,
  };
}

function comparedReleaseView({ settings, changes }: ComparedRelease, project: Project): ComparedReleaseView {
  return {
    current_release: project.currentRelease?.id ?? null,
    added: pathChangesView(changes.added),
    changed: pathChangesView(changes.changed),
    removed: pathChangesView(changes.removed),
    unchanged: changes.unchanged,
    settings: settingsView(settings),
    changed_settings: [...changes.settings],
  };
}

function settingsView(settings: ReleaseSettings): ChangesView["settings"] {
  return {
    ...settings,
    immutable: [...settings.immutable],
    frame: typeof settings.frame === "string" ? settings.frame : [...settings.frame],
    preload: [...settings.preload],
  };
}

export function filesView({ folders, files, nextCursor }: ReleaseFiles): FilesView {
  return {
    folders: folders.map(({ path, files, bytes }) => ({ path, files, bytes })),
    files: files.map(({ path, size, sha256, url }) => ({ path, size, sha256, url })),
    next_cursor: nextCursor,
  };
}

function pathChangesView({ count, paths }: PathChanges): CreatedReleaseView["added"] {
  return { count, paths: [...paths] };
}

export function uploadsView({ uploads, expiresAt }: Uploads): UploadsView {
  const views = uploads.map(({ sha256, url, headers }) => ({ sha256, url, headers: { ...headers } }));
  return { uploads: views, expires_at: expiresAt };
}

export function partUploadsView({ stored, parts, expiresAt }: PartUploads): PartUploadsView {
  const views = parts.map(({ number, url, headers }) => ({ number, url, headers: { ...headers } }));
  return { stored, parts: views, expires_at: expiresAt };
}

export function packUploadView({ isUnpacked, upload, expiresAt }: PackUpload): PackUploadView {
  const target = upload ? { url: upload.url, headers: { ...upload.headers } } : null;
  return { unpacked: isUnpacked, upload: target, expires_at: expiresAt };
}

/** @param dashboardOrigin undefined: the stage has none */
export function publishedView(
  { isLive, release, project, previousRelease, endedSchedule, edge }: PublishResult,
  viewer: ReleaseViewer,
  dashboardOrigin: string | undefined,
): PublishedView {
  return {
    release: releaseView(release, project, viewer),
    previous_release: previousRelease,
    review_url:
      isLive || dashboardOrigin === undefined
        ? null
        : `${dashboardOrigin}/projects/${project.slug}/releases/${release.id}`,
    ended_schedule: scheduledReleaseView(endedSchedule),
    edge,
  };
}

export function releaseRequest(creation: ReleaseCreation): ReleaseRequest {
  const { files = [], files_of: filesOf, settings, message, source, picture, choices } = creation;
  const { expect_current, dry_run = false } = creation;
  const {
    isolation = defaultSettings.isolation,
    immutable = defaultSettings.immutable,
    spa = defaultSettings.spa,
    frame = defaultSettings.frame,
    preload = defaultSettings.preload,
    updates = defaultSettings.updates,
  } = settings ?? {};
  const description = {
    ...(message && { message }),
    ...(picture && { picture }),
    ...(choices && { choices: chosen(choices) }),
    ...(source && { source: { commit: source.commit, ...(source.run_url && { runUrl: source.run_url }) } }),
  };
  return {
    content: filesOf === undefined ? { files } : { filesOf },
    settings: { isolation, immutable, spa, frame, preload, updates },
    description,
    expectCurrent: expect_current,
    dryRun: dry_run,
  };
}

function chosen({ left_out = [], index, picture, isolation_off }: NonNullable<ReleaseCreation["choices"]>) {
  return {
    ...(left_out.length > 0 && { leftOut: left_out }),
    ...(index && { index }),
    ...(picture && { picture }),
    ...(isolation_off && { isolationOff: isolation_off }),
  };
}
