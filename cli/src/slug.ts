import { type UserError, usageError } from "./errors.ts";

/**
 * Checks the form of a slug without a request. The API has more rules.
 *
 * @param command the command that takes the slug, for the error
 * @throws UserError (exit code 2) that proposes a valid slug
 */
export function checkSlug(slug: string, command: string): void {
  if (slug !== slugOf(slug)) throw invalidSlug(slug, command);
}

function invalidSlug(slug: string, command: string): UserError {
  return usageError(`${slug} cannot be the slug of a project: a slug is 3 to 40 of a-z, 0-9 and -.`, {
    code: "invalid_slug",
    next: `${command} ${slugOf(slug)}`,
  });
}

/** Makes a valid slug from a name. */
export function slugOf(name: string): string {
  const slug = name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/-*[^a-z0-9-]+[^a-z0-9]*/g, "-")
    .slice(0, 40)
    .replace(/^-+|-+$/g, "");
  return slug.length >= 3 ? slug : `game-${slug || "1"}`;
}
