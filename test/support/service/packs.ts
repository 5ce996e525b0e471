import { randomUUID } from "node:crypto";
import { brotliCompressSync } from "node:zlib";
import type { ManifestFile } from "../../../contract/api/releases/manifest-rules.ts";
import { packOf } from "../../../contract/folder/packs.ts";
import type { Actor } from "./actors.ts";
import type { CheckedResponse } from "./checked-request.ts";
import { type Folder, manifestOf, sha256, upload } from "./steps.ts";

/** Bytes and their name. */
export interface Content {
  readonly size: number;
  readonly sha256: string;
}

export function contentOf(bytes: string | Buffer): Content {
  return { size: Buffer.byteLength(bytes), sha256: sha256(bytes) };
}

/** A pack of these bytes, each under its own hash. */
export function packed(...all: readonly (string | Buffer)[]): Buffer {
  return Buffer.from(packOf(all.map((bytes) => ({ sha256: sha256(bytes), bytes: Buffer.from(bytes) }))));
}

/** The files of a folder, those that end with .js with a Brotli copy, and what a pack has of them. */
export function packable(folder: Folder): { readonly files: ManifestFile[]; readonly sent: readonly Buffer[] } {
  const made = manifestOf(folder).map((file) => {
    const bytes = Buffer.from(folder[file.path] ?? "");
    if (!file.path.endsWith(".js")) return { file, bytes };
    const copy = brotliCompressSync(bytes);
    return { file: { ...file, br: contentOf(copy) }, bytes: copy };
  });
  return { files: made.map(({ file }) => file), sent: made.map(({ bytes }) => bytes) };
}

/** A folder of two files with bytes that nobody has had before, as {@link packable}, and its pack. */
export function newPack() {
  const folder = { "index.html": `page ${randomUUID()}`, "game.js": `let id = "${randomUUID()}";\n`.repeat(100) };
  const { files, sent } = packable(folder);
  return { folder, files, pack: packed(...sent) };
}

/** Sends a pack of a release. @returns the response to the request that unpacks it */
export async function sendPack(
  actor: Actor,
  { slug, id, slot = 0 }: { readonly slug: string; readonly id: string; readonly slot?: number },
  pack: Buffer,
): Promise<CheckedResponse> {
  const path = `/projects/${slug}/releases/${id}/packs`;
  const body = { slot, ...contentOf(pack) };
  const asked = await actor.post(path, body);
  if (asked.status !== 200 || asked.body.unpacked) return asked;
  const status = await upload(asked.body.upload, pack);
  if (status !== 200) throw new Error(`The store responded with ${status}`);
  return await actor.post(path, body);
}
