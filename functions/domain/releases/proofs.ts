import { isSentInParts } from "../../../contract/folder/content-hash.ts";
import type { Release } from "../../entities/release.ts";
import type { FileContent } from "../../files/manifests.ts";
import { copyObject } from "../../files/multipart.ts";
import { filesPrefix, proofsPrefix } from "../../files/object-keys.ts";
import { findMissing } from "../../files/presence.ts";
import { readVerified, writeObject } from "../../files/store.ts";
import type { ProjectActor } from "../authentication.ts";
import { isPreviewOnly, openerOf } from "./openers.ts";

/*
 * A hash is no right to read. Whoever may only open previews sees the bytes of the live release and those that it sent itself, so that it
 * sends what is not live to a place of its own, also if the project has it: docs/decisions/0016-sweep.md#proofs.
 */

/** The folder that an actor uploads to. */
export function uploadPrefix(actor: ProjectActor): string {
  const { slug } = actor.project;
  return isPreviewOnly(actor) ? proofsPrefix(slug, openerOf(actor) ?? "") : filesPrefix(slug);
}

/** The files that an actor has not sent, and of one that may publish nobody has. */
export async function unsentFiles(actor: ProjectActor, wanted: ReadonlyMap<string, number>): Promise<FileContent[]> {
  const { slug, usedObjects } = actor.project;
  return await findMissing({ slug, usedObjects: isPreviewOnly(actor) ? 0 : usedObjects }, wanted, uploadPrefix(actor));
}

/**
 * Makes files of the project of what the openers of a release have sent to places of their own, as far as the actor may use it.
 *
 * @returns the files that are lacking still, of an actor that may only open previews those that it has not sent itself
 */
export async function collectSent(
  actor: ProjectActor,
  { openers = [] }: Release,
  wanted: ReadonlyMap<string, number>,
): Promise<readonly FileContent[]> {
  const { project } = actor;
  const unsent = await unsentFiles(actor, wanted);
  if (!isPreviewOnly(actor)) return await collectFrom(actor, openers, unsent);
  return unsent.length > 0
    ? unsent
    : await collectFrom(actor, [openerOf(actor) ?? ""], await findMissing(project, wanted));
}

async function collectFrom(
  { project: { slug } }: ProjectActor,
  openers: readonly string[],
  wanted: readonly FileContent[],
): Promise<readonly FileContent[]> {
  let lacking = wanted;
  for (const opener of openers) {
    if (lacking.length === 0) break;
    const prefix = proofsPrefix(slug, opener);
    const absent = await findMissing({ slug }, new Map(lacking.map(({ sha256, size }) => [sha256, size])), prefix);
    const names = new Set(absent.map(({ sha256 }) => sha256));
    const sent = lacking.filter(({ sha256 }) => !names.has(sha256));
    await copyFiles(sent, prefix, filesPrefix(slug));
    lacking = absent;
  }
  return lacking;
}

const atOnce = 16;

async function copyFiles(files: readonly FileContent[], from: string, to: string): Promise<void> {
  const small = files.filter(({ size }) => !isSentInParts(size)).values();
  const work = async () => {
    for (const { sha256 } of small) await writeObject(to + sha256, await readVerified(from + sha256, sha256));
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  // The parts of each are copied at once.
  for (const { sha256, size } of files)
    if (isSentInParts(size)) await copyObject(from + sha256, { key: to + sha256, size });
}
