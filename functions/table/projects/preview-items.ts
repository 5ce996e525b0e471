import { randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { previewKey } from "../../../edge/project/pointer.ts";
import { ConflictError } from "../../conflict.ts";
import type { Preview, Project } from "../../entities/project.ts";
import type { Release } from "../../entities/release.ts";
import type { Token } from "../../entities/token.ts";
import { keys } from "../keys.ts";
import { keptUntil } from "../releases/open-releases.ts";
import { activeTokenCheck } from "../tokens/token-items.ts";
import { change, transact, tryTransact, type Write } from "../transaction.ts";
import { type ProjectChange, projectEventWrites, releaseEvent } from "./history.ts";
import { pointerWrites } from "./pointer-items.ts";
import { unchangedCondition } from "./project-items.ts";

/*
 * The previews of a project stand in its item (docs/decisions/0052-previews.md).
 */

/** The digits of a new preview's host: 80 bits, as of a digest, which nobody can guess. */
export function newPreviewDigits(): string {
  return randomBytes(10).toString("hex");
}

/** The key of a preview at the edge, which is in its host name too. */
export function keyOfPreview(slug: string, { digits, manifest }: Preview): string {
  return previewKey(slug, digits ?? manifest);
}

/** Parameters of a change of previews. */
interface ChangeContext {
  readonly token: Token | undefined;
  readonly now: Date;
}

/**
 * Stores the previews of a project after one has changed, provided that the project and the release are as they were read. An open
 * release is kept as long as the preview. That a CI job opens one is an event; that a person does, or that it shows another release, is none.
 *
 * @returns false if a release with the same files and settings is withdrawn
 */
export async function storeShown(
  project: Project,
  { previews, preview, release }: { previews: readonly Preview[]; preview: Preview; release: Release },
  made: ProjectChange,
): Promise<boolean> {
  const { token, now } = made;
  const isNewByJob = token?.job !== undefined && preview.openedAt === now.toISOString();
  const { slug } = project;
  const { expiresAt } = preview;
  const failed = await tryTransact({
    token: activeTokenCheck(token, now),
    project: previewsWrite(project, previews),
    ...keptUntil(slug, release, expiresAt),
    event: isNewByJob ? projectEventWrites(project, made, releaseEvent("preview_opened", release, made)) : [],
    pointer: pointerWrites([slug], now, previewKeys(project)),
    // Its key leaves the edge when it has expired.
    end: pointerWrites([slug], new Date(expiresAt * 1_000), [keyOfPreview(slug, preview)]),
  });
  if (failed?.name === "openManifest" && failed.item?.withdrawnAt !== undefined) return false;
  if (failed) throw new ConflictError();
  return true;
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
  return change(keys.project(project.slug), { previews }, unchangedCondition(project));
}

/** The keys of a project's previews as it was read: those that it has no more leave the edge, the others stay. */
export function previewKeys({ slug, previews = [] }: Project): string[] {
  return previews.map((preview) => keyOfPreview(slug, preview));
}

/**
 * Changes that end the previews of manifests: the part of the UpdateExpression, its values, and the keys that end.
 *
 * @param isDeleted whether other previews that showed it before give nobody its files any more either
 */
export function endingPreviewsOf(project: Project, manifests: ReadonlySet<string>, isDeleted: boolean) {
  const { slug, previews = [] } = project;
  const left = previews
    .filter(({ manifest }) => !manifests.has(manifest))
    .map((preview) => (isDeleted ? withoutEarlier(preview, manifests) : preview));
  if (isDeepStrictEqual(left, previews)) return { sets: [], values: {}, ended: [] };
  const ended = previews.filter(({ manifest }) => manifests.has(manifest)).map((each) => keyOfPreview(slug, each));
  return { sets: ["previews = :left"], values: { ":left": left }, ended };
}

function withoutEarlier({ earlier, ...preview }: Preview, manifests: ReadonlySet<string>): Preview {
  const left = earlier?.filter((digest) => !manifests.has(digest)) ?? [];
  return { ...preview, ...(left.length > 0 && { earlier: left }) };
}
