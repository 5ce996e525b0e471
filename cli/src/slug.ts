import { isReservedSlug, slugOf, slugPattern } from "../../contract/api/projects/slug.ts";
import { type UserError, usageError } from "./errors.ts";

/**
 * Checks a slug as the API does, without a request.
 *
 * @param command the command that takes the slug, for the error
 * @throws UserError (exit code 2) that proposes a valid slug
 */
export function checkSlug(slug: string, command: string): void {
  if (!slugPattern.test(slug)) throw invalidSlug(slug, "an address is 3 to 40 of a-z, 0-9 and -", command);
  if (isReservedSlug(slug)) throw invalidSlug(slug, "it is a reserved word", command);
}

function invalidSlug(slug: string, why: string, command: string): UserError {
  return usageError(`${slug} cannot be the address of a project: ${why}.`, {
    code: "invalid_slug",
    // A made-up one if the name has too few of a slug's characters.
    next: `${command} ${slugIn(slug) ?? `game-${slugOf(slug) || "1"}`}`,
  });
}

/** The slug that a name gives; undefined if it has too few of a slug's characters, as one in Japanese script. */
export function slugIn(name: string): string | undefined {
  const slug = slugOf(name);
  if (slug.length < 3) return undefined;
  return isReservedSlug(slug) ? `${slug}-game` : slug;
}
