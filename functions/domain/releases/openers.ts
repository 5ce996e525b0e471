import { includesScope } from "../../../contract/api/tokens/scopes.ts";
import type { Release } from "../../entities/release.ts";
import { type Actor, type ProjectActor, tokenOf } from "../authentication.ts";
import { lineageOf } from "../projects/state.ts";

/**
 * Opener of a draft or a preview, as it is remembered: a token with those that replace it, or the branch of a CI job; undefined for a
 * person.
 */
export function openerOf(actor: Actor): string | undefined {
  const token = tokenOf(actor);
  return token?.job?.branch ?? (token && lineageOf(token));
}

/** Whether an actor may open previews and not publish: a token or a CI job with the scope `preview` alone. */
export function isPreviewOnly(actor: Actor): boolean {
  const token = tokenOf(actor);
  return token !== undefined && !includesScope(token.scopes, "publish");
}

/** Whether an actor may see a release: who may not publish sees the live one, and those that it opened or found open. */
export function maySee(actor: ProjectActor, { id, openers = [] }: Release): boolean {
  return !isPreviewOnly(actor) || actor.project.currentRelease?.id === id || openers.includes(openerOf(actor) ?? "");
}
