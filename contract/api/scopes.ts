import type { Scope } from "./route.ts";

export const scopes = ["publish", "projects"] as const satisfies readonly Scope[];

/**
 * The scopes that an OAuth client asks for, separated by spaces (RFC 6749, section 3.3); `publish` if it asks for none.
 *
 * @returns undefined if one of them is unknown
 */
export function scopesOf(text = "publish"): Scope[] | undefined {
  const asked = new Set(text.split(" ").filter(Boolean));
  const known = scopes.filter((scope) => asked.has(scope));
  return known.length === asked.size && known.length > 0 ? known : undefined;
}
