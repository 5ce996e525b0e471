import type { Scope } from "../route.ts";

/** Each contains those before it: who may publish may open previews, and who may create projects may publish. */
export const scopes = ["preview", "publish", "projects"] as const satisfies readonly Scope[];

/** Whether a token with these scopes may do what a scope is for. */
export function includesScope(held: readonly Scope[], needed: Scope): boolean {
  return held.some((scope) => scopes.indexOf(scope) >= scopes.indexOf(needed));
}

/**
 * The scopes that an OAuth client asks for, separated by spaces (RFC 6749, section 3.3); `publish` if it asks for none.
 *
 * @returns undefined if one of them is unknown
 */
export function scopesOf(text = "publish"): Scope[] | undefined {
  const names = new Set(text.split(" ").filter(Boolean));
  const requested = scopes.filter((scope) => names.has(scope));
  return requested.length === names.size && requested.length > 0 ? requested : undefined;
}
