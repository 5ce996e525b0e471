import * as z from "zod/mini";
import { limits } from "./limits.ts";
import { defineRoute, line, pageQuery, pathParameter, text, time } from "./route.ts";

/** Words that no project can have as its slug, because an address or a person could take them for the service itself. */
const reservedSlugs = new Set([
  "admin",
  "api",
  "app",
  "assets",
  "auth",
  "cdn",
  "dashboard",
  "dev",
  "docs",
  "files",
  "health",
  "help",
  "login",
  "logout",
  "me",
  "new",
  "openapi",
  "projects",
  "releases",
  "root",
  "settings",
  "signin",
  "signup",
  "staging",
  "static",
  "status",
  "support",
  "svc",
  "tokens",
  "users",
  "www",
]);

/** A project's name in addresses, unique across the service. */
export const slug = z.string().check(
  z.regex(
    /^[a-z0-9](?:[a-z0-9-]{1,38})[a-z0-9]$/,
    "must have 3 to 40 characters of a-z, 0-9 and -, with no - at its ends",
  ),
  z.refine((value) => !reservedSlugs.has(value), "is a reserved word"),
);

export const slugParams = z.strictObject({ slug: pathParameter });

const project = z.strictObject({
  slug: z.string(),
  name: z.string(),
  description: z.nullable(z.string()),
  created_at: time,
  updated_at: time,
  current_release: z.nullable(z.strictObject({ id: z.string(), published_at: time })),
  /** Where the live release is played; null where the service has no domain for games. */
  play_url: z.nullable(z.string()),
});

export const createProject = defineRoute({
  method: "POST",
  path: "/projects",
  summary: "Create a project",
  tag: "Projects",
  credential: "any",
  role: "dev",
  scope: "projects",
  body: z.strictObject({
    slug,
    name: z.optional(line(limits.nameLength)),
    description: z.optional(z.nullable(text(limits.descriptionLength))),
  }),
  responses: { 201: project },
  errors: ["project_not_in_token", "project_limit_reached", "slug_taken"],
});

export const listProjects = defineRoute({
  method: "GET",
  path: "/projects",
  summary: "The caller's projects, by slug; a narrowed token sees the projects that it names",
  tag: "Projects",
  credential: "any",
  role: "dev",
  query: pageQuery,
  responses: { 200: z.strictObject({ projects: z.array(project), next_cursor: z.nullable(z.string()) }) },
  errors: ["invalid_cursor"],
});

export const getProject = defineRoute({
  method: "GET",
  path: "/projects/:slug",
  summary: "A project, as everybody may see it",
  tag: "Projects",
  credential: "none",
  params: slugParams,
  responses: { 200: project },
  errors: ["project_not_found"],
});

export const updateProject = defineRoute({
  method: "PATCH",
  path: "/projects/:slug",
  summary: "Edit a project's name and description",
  tag: "Projects",
  credential: "any",
  role: "dev",
  scope: "projects",
  project: "owner",
  params: slugParams,
  body: z.strictObject({
    name: z.optional(line(limits.nameLength)),
    description: z.optional(z.nullable(text(limits.descriptionLength))),
  }),
  responses: { 200: project },
});
