import { previewKey } from "../../../edge/pointer.ts";
import type { Preview, Project } from "../../entities/project.ts";
import type { Release } from "../../entities/release.ts";
import type { Token } from "../../entities/token.ts";
import { keys } from "../keys.ts";
import { activeTokenCheck } from "../tokens/token-items.ts";
import { change, check, transact, type Write } from "../transaction.ts";
import { pointerWrites } from "./pointer-items.ts";
import { unchangedCondition } from "./project-items.ts";

/*
 * The previews of a project stand in its item (docs/decisions/0052-previews.md).
 */

/** With what a change of previews is made. */
interface ChangeContext {
  readonly token: Token | undefined;
  readonly now: Date;
}

/**
 * Stores the previews of a project after one was opened, provided that the project and the open release are as they were read.
 *
 * @param opened the one that was opened; `release.ttl` is when it expires
 */
export async function storeOpened(
  project: Project,
  { previews, opened, release }: { previews: readonly Preview[]; opened: Preview; release: Release },
  { token, now }: ChangeContext,
): Promise<void> {
  const { slug } = project;
  await transact({
    token: activeTokenCheck(token, now),
    project: previewsWrite(project, previews),
    release: check(keys.release(slug, release.id), {
      condition: "#ttl = :ttl",
      names: { "#ttl": "ttl" },
      values: { ":ttl": release.ttl },
    }),
    pointer: pointerWrites([slug], now, previewKeys(project)),
    // Its key leaves the edge when it has expired.
    end: pointerWrites([slug], new Date(opened.expiresAt * 1_000), [previewKey(slug, opened.manifest)]),
  });
}

/** Stores the previews of a project after some were deleted or have expired, provided that the project is as it was read. */
export async function storeEnded(
  project: Project,
  previews: readonly Preview[],
  { token, now }: ChangeContext,
): Promise<void> {
  await transact({
    token: activeTokenCheck(token, now),
    project: previewsWrite(project, previews),
    pointer: pointerWrites([project.slug], now, previewKeys(project)),
  });
}

function previewsWrite(project: Project, previews: readonly Preview[]): Write<Project> {
  const unchanged = unchangedCondition(project);
  return change(keys.project(project.slug), "SET previews = :next", {
    ...unchanged,
    values: { ...unchanged.values, ":next": previews },
  });
}

/** The keys of a project's previews as it was read: those that it has no more leave the edge, the others stay. */
function previewKeys({ slug, previews = [] }: Project): string[] {
  return previews.map(({ manifest }) => previewKey(slug, manifest));
}

/** What ends the previews of a manifest: the part of the UpdateExpression, its values, and the keys that end. */
export function endingPreviewsOf(project: Project, manifest: string) {
  const left = project.previews?.filter((preview) => preview.manifest !== manifest);
  if (left === undefined || left.length === project.previews?.length) return { sets: [], values: {}, ended: [] };
  return { sets: ["previews = :left"], values: { ":left": left }, ended: [previewKey(project.slug, manifest)] };
}
