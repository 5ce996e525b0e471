import * as z from "zod/mini";
import { limits } from "./limits.ts";
import { edge, slugParams } from "./projects.ts";
import { release, releaseParams } from "./releases.ts";
import { about, defineRoute, time } from "./route.ts";

const preview = z.strictObject({
  release: about("The open release that it shows.", release),
  url: about(
    "Where it is played by whoever knows the URL, which cannot be guessed; null if nothing can be played.",
    z.nullable(z.string()),
    "https://star-hopper--1f0c9d3a6b8e2f4d5a7c.games.example/",
  ),
  expires_at: about("When it expires, with the open release, unless the release goes live before.", time),
});

export const openPreview = defineRoute({
  method: "POST",
  otherMethods: ["DELETE"],
  path: "/projects/:slug/releases/:id/preview",
  summary: `Play an open release at a URL of its own before it goes live; at most ${limits.previewsPerProject} a project`,
  tag: "Releases",
  credential: "any",
  ciJobs: "allowed",
  role: "dev",
  scope: "preview",
  project: "owner",
  params: releaseParams,
  responses: { 200: z.strictObject({ preview: about("The preview.", preview), edge }) },
  errors: ["release_not_found", "release_not_open", "release_incomplete", "too_many_previews"],
});

export const endPreview = defineRoute({
  method: "DELETE",
  path: "/projects/:slug/releases/:id/preview",
  summary: "End the preview of a release, if it has one; the release stays open",
  tag: "Releases",
  credential: "any",
  ciJobs: "allowed",
  role: "dev",
  scope: "preview",
  project: "owner",
  params: releaseParams,
  responses: { 200: z.strictObject({ edge }) },
});

export const listPreviews = defineRoute({
  method: "GET",
  path: "/projects/:slug/previews",
  summary: "The previews of a project that are open",
  tag: "Releases",
  credential: "any",
  ciJobs: "allowed",
  role: "dev",
  project: "owner",
  params: slugParams,
  responses: {
    200: z.strictObject({ previews: about("In the order in which they were opened last.", z.array(preview)) }),
  },
});
