import { isReservedSlug, slugOf, slugPattern } from "../../contract/api/projects/slug.ts";
import { type UserError, usageError } from "./errors.ts";
import { printable } from "./text.ts";

/**
 * Checks a slug as the API does, without a request.
 *
 * @param command the command that takes the slug, for the error
 * @throws UserError (exit code 2) that proposes a valid slug
 */
export function checkSlug(slug: string, command: string): void {
  // A made-up one if the name has too few of a slug's characters.
  const next = `${command} ${slugIn(slug) ?? `game-${slugOf(slug) || "1"}`}`;
  if (!slugPattern.test(slug)) throw invalidSlug(slug, rule, next);
  if (isReservedSlug(slug)) throw invalidSlug(slug, "it is a reserved word", next);
}

/**
 * Refuses what no project can be called, for commands about a project that exists.
 *
 * @throws UserError (exit code 2)
 */
export function assertAddress(slug: string): void {
  if (!slugPattern.test(slug)) throw invalidSlug(slug, rule, "svc projects list shows the addresses of yours.");
}

const rule = "3 to 40 of a-z, 0-9 and -";

function invalidSlug(slug: string, why: string, next: string): UserError {
  return usageError(`${printable(slug)} cannot be an address: ${why}.`, { code: "invalid_slug", next });
}

/** The slug that a name gives; undefined if it has too few of a slug's characters, as one in Japanese script. */
export function slugIn(name: string): string | undefined {
  const slug = slugOf(name);
  if (slug.length < 3) return undefined;
  return isReservedSlug(slug) ? `${slug}-game` : slug;
}
