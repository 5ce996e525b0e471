import * as z from "zod/mini";
import { limits } from "../limits.ts";
import { byPeopleAndJobs, byPublishers, byPublishersAndJobs, edge, slugParams } from "../projects/projects.ts";
import { about, defineRoute, pathParameter, time } from "../route.ts";
import { release } from "./release.ts";
import { releaseParams } from "./releases.ts";

const previewName = z
  .string()
  .check(
    z.maxLength(limits.previewNameLength, `must have at most ${limits.previewNameLength} characters`),
    z.regex(/^[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?$/, "must be a name such as pr-12: of a-z, 0-9 and . _ - between them"),
  );

const preview = z.strictObject({
  name: about("Its name; null if it has none and shows this release alone.", z.nullable(z.string()), "pr-12"),
  release: about("The release that it shows, which is open or was live before.", release),
  url: about(
    "Where it is played by whoever knows the URL, which cannot be guessed; null if nothing can be played.",
    z.nullable(z.string()),
    "https://star-hopper--1f0c9d3a6b8e2f4d5a7c.games.example/",
  ),
  expires_at: about("When it expires, unless the release goes live before.", time),
  kept: about(
    `Whether it is kept for ${limits.keptPreviewDays} days after its last change instead of ${limits.openReleaseLifetimeSeconds / 86_400}.`,
    z.boolean(),
    false,
  ),
});

const shown = z.strictObject({ preview: about("The preview.", preview), edge });

export const openPreview = defineRoute({
  method: "POST",
  otherMethods: ["DELETE"],
  path: "/projects/:slug/releases/:id/preview",
  summary: `Play a release that is not live at a URL of its own; at most ${limits.previewsPerProject} a project`,
  details: `That of an open release expires with it. One that was live before needs the scope \`publish\` and no CI job, and has a preview for a week. A preview with a name has one URL, at which each call with that name shows another release. A visit goes on with the release that it began with. With the scope \`preview\` alone, a token shows releases that it opened and replaces previews that it opened, a CI job those of its repository's branch; together such callers have ${limits.previewsOfPreviewOnly} previews of a project at most.`,
  tag: "Releases",
  ...byPublishersAndJobs,
  scope: "preview",
  personMakesLive: "free",
  params: releaseParams,
  body: z.strictObject({
    name: about("Replaces what the preview of this name shows, or opens one.", z.optional(previewName), "pr-12"),
    new_url: about(
      "Whether a preview with a name gets a new URL; the one that it had is gone.",
      z.optional(z.boolean()),
      false,
    ),
  }),
  bodyOptional: true,
  responses: { 200: shown },
  errors: [
    "release_withdrawn",
    ...(["release_not_found", "release_live", "release_incomplete", "copies_differ", "too_many_previews"] as const),
    "preview_of_another",
  ],
});

export const endPreview = defineRoute({
  method: "DELETE",
  path: "/projects/:slug/releases/:id/preview",
  summary: "End each preview that shows a release; the release stays",
  tag: "Releases",
  ...byPublishersAndJobs,
  scope: "preview",
  personMakesLive: "free",
  params: releaseParams,
  responses: { 200: z.strictObject({ edge }) },
  errors: ["preview_of_another"],
});

export const listPreviews = defineRoute({
  method: "GET",
  path: "/projects/:slug/previews",
  summary: "The previews of a project that are open; with the scope `preview` alone, the caller's own",
  tag: "Releases",
  ...byPeopleAndJobs,
  params: slugParams,
  responses: {
    200: z.strictObject({ previews: about("In the order in which they were opened last.", z.array(preview)) }),
  },
});

const previewParams = z.extend(slugParams, {
  preview: about("Its name; the id of its release if it has none.", pathParameter, "pr-12"),
});

export const updatePreview = defineRoute({
  method: "PATCH",
  otherMethods: ["DELETE"],
  path: "/projects/:slug/previews/:preview",
  summary: "Keep a preview, and with it an open release, for longer or no longer",
  tag: "Releases",
  ...byPublishers,
  scope: "publish",
  personMakesLive: "free",
  params: previewParams,
  body: z.strictObject({
    kept: about(
      `true: it expires ${limits.keptPreviewDays} days after its last change, which this is too. false: as others do.`,
      z.boolean(),
      true,
    ),
  }),
  responses: { 200: shown },
  errors: ["preview_not_found", "release_not_found", "release_live", "release_withdrawn"],
});

export const deletePreview = defineRoute({
  method: "DELETE",
  path: "/projects/:slug/previews/:preview",
  summary: "End a preview, if there is one of this name; its release stays",
  tag: "Releases",
  ...byPublishersAndJobs,
  scope: "preview",
  personMakesLive: "free",
  params: previewParams,
  responses: { 200: z.strictObject({ edge }) },
  errors: ["preview_of_another"],
});
