import { slugPattern } from "../projects/slug.ts";

/*
 * How OAuth clients name a project: by its URL in the API, as a resource (RFC 8707, section 2).
 */

/** URL of a project in the API. */
export function projectResource(slug: string, origin: string): string {
  return `${origin}/projects/${slug}`;
}

/** Slug of the project that a resource is; undefined if it is no project of this API. */
export function slugOfResource(resource: string, origin: string): string | undefined {
  const prefix = projectResource("", origin);
  const slug = resource.startsWith(prefix) ? resource.slice(prefix.length) : "";
  return slugPattern.test(slug) ? slug : undefined;
}
