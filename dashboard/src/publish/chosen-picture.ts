import { byPath } from "../../../contract/folder/file-rules.ts";
import type { Choices, ChosenPicture, KeptPicture } from "../../../publisher/settings.ts";
import type { FileHashes } from "./hash.ts";
import { Refusal } from "./refusal.ts";
import type { SourceFile } from "./source.ts";

/*
 * A picture that a person chooses in the review: a file of the release, as one that the folder has would be
 * (docs/decisions/0024-a-game-has-its-own-origin.md#a-games-picture-is-a-file-that-its-publisher-names).
 */

/** Pictures in lists and on other sites' cards are no larger; and, as text, no longer than a browser keeps for a project. */
const longestSide = 1_200;
const mostBytes = 300 * 1024;

/** Scaled to what is shown. @throws Refusal if the browser cannot read it as an image */
export async function chosenPicture(file: File): Promise<ChosenPicture> {
  const bitmap = await createImageBitmap(file).catch(() => undefined);
  if (bitmap === undefined) throw new Refusal(`${file.name} is no picture that this browser can read.`);
  const scale = Math.min(1, longestSide / Math.max(bitmap.width, bitmap.height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(bitmap.width * scale));
  canvas.height = Math.max(1, Math.round(bitmap.height * scale));
  canvas.getContext("2d")?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  // PNG keeps what is transparent, and drawings sharp; of a photograph or a screenshot it would be large.
  const png = await encoded(canvas, "image/png");
  if (png.size <= mostBytes) return { path: "cover.png", bytes: await base64Of(png) };
  for (const quality of [0.85, 0.6, 0.3]) {
    const jpeg = await encoded(canvas, "image/jpeg", quality);
    if (jpeg.size <= mostBytes) return { path: "cover.jpg", bytes: await base64Of(jpeg) };
  }
  throw new Refusal(`${file.name} cannot be made small enough.`);
}

async function encoded(canvas: HTMLCanvasElement, type: string, quality?: number): Promise<Blob> {
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, type, quality));
  if (blob === null) throw new Refusal("This browser has no memory for the picture.");
  return blob;
}

async function base64Of(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}

export function blobOf({ path, bytes }: ChosenPicture): Blob {
  const type = path === "cover.png" ? "image/png" : "image/jpeg";
  return new Blob([Uint8Array.from(atob(bytes), (character) => character.charCodeAt(0))], { type });
}

/** The files of a release with it, in place of one at its path. */
export function withPicture(
  files: readonly SourceFile[],
  picture: Choices["picture"],
  hashes: Map<SourceFile["stream"], FileHashes>,
): readonly SourceFile[] {
  if (picture === undefined) return files;
  const file = "bytes" in picture ? newPicture(picture) : keptPicture(picture, hashes);
  return [...files.filter(({ path }) => path !== picture.path), file].sort(byPath);
}

function newPicture(picture: ChosenPicture): SourceFile {
  const blob = blobOf(picture);
  return { path: picture.path, size: blob.size, stream: () => blob.stream(), blob: async () => blob };
}

/** Its hash is known, and the service has its bytes. */
function keptPicture({ path, size, sha256 }: KeptPicture, hashes: Map<SourceFile["stream"], FileHashes>): SourceFile {
  const gone = (): never => {
    throw new Refusal("The picture that was chosen is not stored any more. Choose it again, or remove it.");
  };
  hashes.set(gone, { sha256, found: undefined, head: new Uint8Array(), makesSharedMemory: false, text: undefined });
  return { path, size, stream: gone, blob: async () => gone() };
}
