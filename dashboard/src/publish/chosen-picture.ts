import { type ChosenPicture, pictureBytes } from "../../../publisher/settings.ts";
import { Refusal } from "./refusal.ts";

/*
 * A picture that a person chooses in the review: a file of the release, as one that the folder has would be
 * (docs/decisions/0024-a-game-has-its-own-origin.md#a-games-picture-is-a-file-that-its-publisher-names).
 */

/** Pictures in lists and on other sites' cards are no larger; and, as text, no longer than a browser keeps for a project. */
const longestSide = 1_200;
const maxBytes = 300 * 1024;

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
  if (png.size <= maxBytes) return { path: "cover.png", bytes: await base64Of(png) };
  for (const quality of [0.85, 0.6, 0.3]) {
    const jpeg = await encoded(canvas, "image/jpeg", quality);
    if (jpeg.size <= maxBytes) return { path: "cover.jpg", bytes: await base64Of(jpeg) };
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

export function blobOf(picture: ChosenPicture): Blob {
  const type = picture.path === "cover.png" ? "image/png" : "image/jpeg";
  return new Blob([pictureBytes(picture)], { type });
}
