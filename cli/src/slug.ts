import { isReservedSlug, slugPattern } from "../../contract/api/slug.ts";
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
    next: `${command} ${slugOf(slug)}`,
  });
}

/** Makes a valid slug from a name: a made-up one if the name has too few of a slug's characters. */
function slugOf(name: string): string {
  return slugIn(name) ?? `game-${reduced(name) || "1"}`;
}

/** The slug that a name gives; undefined if it has too few of a slug's characters, as one in Japanese script. */
export function slugIn(name: string): string | undefined {
  const slug = reduced(name);
  if (slug.length < 3) return undefined;
  return isReservedSlug(slug) ? `${slug}-game` : slug;
}

function reduced(name: string): string {
  return name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 40)
    .replace(/^-+|-+$/g, "");
}
