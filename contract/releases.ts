import * as z from "zod/mini";
import { limits } from "./limits.ts";
import { fileHashes, isolation, manifest, releaseSettings } from "./manifest.ts";
import { slugParams } from "./projects.ts";
import { defineRoute, expectCurrent, httpsUrl, pageQuery, pathParameter, text, time } from "./route.ts";

const releaseParams = z.strictObject({ slug: pathParameter, id: pathParameter });

/** Where the files were made: the commit, and the page of the CI job that built them. */
const source = z.strictObject({
  commit: z.string().check(z.regex(/^[0-9a-f]{7,64}$/, "must be 7 to 64 lower-case hexadecimal digits")),
  run_url: z.optional(httpsUrl(limits.urlLength)),
});

const publisher = z.strictObject({
  uid: z.string(),
  /** Null where it was done with an ID token. */
  token: z.nullable(z.strictObject({ id: z.string(), name: z.string() })),
});

export const release = z.strictObject({
  id: z.string(),
  /**
   * open: files may still be missing; live: what visitors see; published: was live once and can be again; withdrawn: was live
   * once and cannot be again.
   */
  status: z.enum(["open", "live", "published", "withdrawn"]),
  files: z.int(),
  bytes: z.int(),
  created_at: time,
  /** When it went live last: a roll-back to it changes this. */
  published_at: z.nullable(time),
  /** When an open release expires; null once published. */
  expires_at: z.nullable(time),
  /** Where it is played; null where it is not live. */
  play_url: z.nullable(z.string()),
  /** What its publisher says of it. */
  message: z.nullable(z.string()),
  source: z.nullable(z.strictObject({ commit: z.string(), run_url: z.nullable(z.string()) })),
  /**
   * Who made it live last, and with which token; null where it was never live, or a previous owner made it live last.
   */
  published_by: z.nullable(publisher),
  /** The same of the first time that it went live, which no roll-back changes. */
  first_published_at: z.nullable(time),
  first_published_by: z.nullable(publisher),
  /** When its owner withdrew it. 90 days later, unless the stage has another number, it is not listed any more. */
  withdrawn_at: z.nullable(time),
});

const pathChanges = z.strictObject({
  count: z.int(),
  /** The first 1,000 paths. */
  paths: z.array(z.string()),
});

const releaseChanges = {
  current_release: z.nullable(z.string()),
  added: pathChanges,
  changed: pathChanges,
  removed: pathChanges,
  unchanged: z.strictObject({ count: z.int() }),
  settings: z.strictObject({ isolation, immutable: z.array(z.string()), spa: z.boolean() }),
  /** The settings that differ from those of the live release. */
  changed_settings: z.array(z.enum(["isolation", "immutable", "spa"])),
};

const openedRelease = z.strictObject({
  /** Null for a dry run that would open a new release. */
  release: z.nullable(release),
  ...releaseChanges,
  /** Hashes whose bytes the service does not have yet, variants too, each once. */
  missing: z.array(z.string()),
  bytes_to_send: z.int(),
});

export const createRelease = defineRoute({
  method: "POST",
  path: "/projects/:slug/releases",
  summary: "Open a release from its manifest, or find the open or live one that has the same manifest",
  tag: "Releases",
  credential: "any",
  role: "dev",
  scope: "publish",
  project: "owner",
  params: slugParams,
  body: z.strictObject({
    files: manifest,
    /** Part of what the release is: the same files with other settings are another release. */
    settings: z.optional(releaseSettings),
    /** This and `source` stay with the release. An open one that is found again gets those of this call; a live one keeps its own. */
    message: z.optional(text(limits.releaseMessageLength)),
    source: z.optional(source),
    expect_current: expectCurrent,
    dry_run: z.optional(z.boolean()),
  }),
  responses: { 200: openedRelease, 201: openedRelease },
  errors: ["current_release_changed", "files_being_deleted", "quota_exceeded", "release_withdrawn"],
});

export const createUploads = defineRoute({
  method: "POST",
  path: "/projects/:slug/releases/:id/uploads",
  summary: "URLs to upload missing files to, each valid for exactly the bytes of its hash",
  tag: "Releases",
  credential: "any",
  role: "dev",
  scope: "publish",
  project: "owner",
  params: releaseParams,
  body: z.strictObject({ sha256: fileHashes }),
  responses: {
    200: z.strictObject({
      uploads: z.array(
        z.strictObject({
          sha256: z.string(),
          /** Send the bytes here with PUT and exactly these headers. */
          url: z.string(),
          headers: z.record(z.string(), z.string()),
        }),
      ),
      expires_at: time,
    }),
  },
  errors: ["release_not_found", "release_withdrawn"],
});

export const publishRelease = defineRoute({
  method: "POST",
  path: "/projects/:slug/releases/:id/publish",
  summary: "Make a release live in one step; on an older release this is a rollback",
  tag: "Releases",
  credential: "any",
  role: "dev",
  scope: "publish",
  project: "owner",
  params: releaseParams,
  body: z.strictObject({ expect_current: expectCurrent }),
  bodyOptional: true,
  responses: { 200: z.strictObject({ release, previous_release: z.nullable(z.string()) }) },
  errors: ["release_not_found", "release_incomplete", "current_release_changed", "release_withdrawn"],
});

export const withdrawRelease = defineRoute({
  method: "POST",
  path: "/projects/:slug/releases/:id/withdraw",
  summary: "Take an earlier release from the visits that began with it; it cannot go live again",
  tag: "Releases",
  credential: "any",
  role: "dev",
  scope: "publish",
  project: "owner",
  params: releaseParams,
  responses: { 200: release },
  errors: ["release_not_found", "release_live", "release_not_published"],
});

export const listReleases = defineRoute({
  method: "GET",
  otherMethods: ["POST"],
  path: "/projects/:slug/releases",
  summary: "The releases of one of the caller's projects, newest first",
  tag: "Releases",
  credential: "any",
  role: "dev",
  project: "owner",
  params: slugParams,
  query: pageQuery,
  responses: { 200: z.strictObject({ releases: z.array(release), next_cursor: z.nullable(z.string()) }) },
  errors: ["invalid_cursor"],
});

export const getRelease = defineRoute({
  method: "GET",
  path: "/projects/:slug/releases/:id",
  summary: "One release of one of the caller's projects",
  tag: "Releases",
  credential: "any",
  role: "dev",
  project: "owner",
  params: releaseParams,
  responses: { 200: release },
  errors: ["release_not_found"],
});

export const compareRelease = defineRoute({
  method: "GET",
  path: "/projects/:slug/releases/:id/changes",
  summary: "What visitors would see change if this release took the place of the live one",
  tag: "Releases",
  credential: "any",
  role: "dev",
  project: "owner",
  params: releaseParams,
  responses: { 200: z.strictObject(releaseChanges) },
  errors: ["release_not_found", "release_withdrawn"],
});

export const getFile = defineRoute({
  method: "GET",
  path: "/projects/:slug/files/*path",
  summary: "A file of the live release",
  tag: "Releases",
  credential: "none",
  params: z.strictObject({ slug: pathParameter, path: z.string().check(z.maxLength(2_048)) }),
  /** The file itself where it refers to others by relative URL, else a redirect to its bytes. */
  responses: { 200: null, 302: null, 304: null },
  errors: ["file_not_found", "project_not_found", "project_taken_down"],
});
