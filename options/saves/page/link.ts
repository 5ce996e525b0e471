import { encodeQR } from "qr";
import { hexadecimal } from "../../../contract/folder/packs.ts";
import { savesLinksPath, savesPagePath } from "../contract/saves-page.ts";
import { MovingError } from "./moving.ts";
import { fragmentOf, type LinkSecret, seal, sealBytes, unseal } from "./sealing.ts";

/*
 * Saved games by a link: sealed here, kept by the store for an hour, given once. The service gets neither the key nor what is sealed with it
 * (docs/decisions/0081-saves-that-travel.md#by-a-link).
 */

const mebibyte = 1024 ** 2;
const maxSealedBytes = 64 * mebibyte;
const fileInstead = "Save to a file instead.";

/** How often a download is tried: its URL is good for a minute. */
const downloads = 3;

export interface MadeLink {
  readonly url: string;
  readonly expiresAt: Date;
}

/** @throws MovingError, which says what the player can do */
export async function makeLink(file: Blob): Promise<MadeLink> {
  if (file.size > maxSealedBytes - sealBytes)
    throw new MovingError(`This game keeps more than 64 MB here, which is too much for a link. ${fileInstead}`);
  const { bytes, key } = await seal(file);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  const body = { size_bytes: bytes.length, sha256: hexadecimal(digest) };
  const { id, expires_at: expiresAt, upload } = await ask(siteName(), body);
  // The browser itself sets the length, and refuses a page that does.
  const { "content-length": _, ...headers } = upload.headers;
  const response = await reach(() => fetch(upload.url, { method: "PUT", headers, body: bytes, credentials: "omit" }));
  if (!response.ok) throw new MovingError(`The link was not made: the upload failed. Try again, or save to a file.`);
  return {
    url: `${location.origin}${savesPagePath}${fragmentOf({ id, key })}`,
    expiresAt: new Date(expiresAt),
  };
}

/** Fetches what a link has, which nobody gets after that. @throws MovingError; UnsealError */
export async function takeLink({ id, key }: LinkSecret): Promise<Blob> {
  const { url } = await ask(`${siteName()}/take`, { id });
  return await unseal(await download(url), key);
}

async function download(url: string): Promise<Uint8Array<ArrayBuffer>> {
  for (let left = downloads; left > 0; left -= 1) {
    try {
      const response = await fetch(url, { credentials: "omit", cache: "no-store" });
      // It was not sent completely.
      if (!response.ok) break;
      return new Uint8Array(await response.arrayBuffer());
    } catch {}
  }
  throw new MovingError("It did not arrive. Make another link on the other device.");
}

/** The first label of the host names the game, or a preview of it. */
function siteName(): string {
  return location.hostname.replace(/\..*/s, "");
}

interface Response200 {
  readonly id: string;
  readonly expires_at: string;
  readonly upload: { readonly url: string; readonly headers: Readonly<Record<string, string>> };
  readonly url: string;
}

/** Sends a request to the API, through the game's own host. */
async function ask(path: string, body: object): Promise<Response200> {
  const headers = { "content-type": "application/json" };
  const response = await reach(() =>
    fetch(savesLinksPath + path, { method: "POST", headers, body: JSON.stringify(body), credentials: "omit" }),
  );
  const { detail, ...result } = await response.json().catch(() => ({}));
  if (response.ok) return result;
  throw new MovingError(typeof detail === "string" ? detail : `Links do not work now. ${fileInstead}`);
}

async function reach(send: () => Promise<Response>): Promise<Response> {
  try {
    return await send();
  } catch {
    throw new MovingError(`The service cannot be reached. Try again later, or save to a file.`);
  }
}

const svg = "http://www.w3.org/2000/svg";

/** A QR code, black on white also in the dark, with four modules of quiet around it (ISO/IEC 18004). */
export function qrCode(text: string): SVGSVGElement {
  const rows = encodeQR(text, "raw", { ecc: "low", border: 4 });
  const squares = rows.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : [])));
  const picture = document.createElementNS(svg, "svg");
  picture.setAttribute("class", "qr");
  picture.setAttribute("viewBox", `0 0 ${rows.length} ${rows.length}`);
  picture.setAttribute("role", "img");
  picture.setAttribute("aria-label", "QR code of the link");
  picture.setAttribute("shape-rendering", "crispEdges");
  const path = document.createElementNS(svg, "path");
  path.setAttribute("d", squares.join(""));
  picture.append(path);
  return picture;
}
