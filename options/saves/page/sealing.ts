/*
 * Saved games sealed for a link: AES-GCM with a key of 256 bits that is used once and is in the link alone. What is sealed is the initialization
 * vector of 96 bits, then the file, then the tag of 128 bits (NIST SP 800-38D).
 */

const algorithm = "AES-GCM";
const ivBytes = 12;
/** How much longer what is sealed is than the file. */
export const sealBytes = ivBytes + 16;

export interface Sealed {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** 43 characters of base64url. */
  readonly key: string;
}

/** What a link has behind its `#`, which browsers send to nobody. */
export interface LinkSecret {
  readonly id: string;
  readonly key: string;
}

/** A sealed file that is not what the key has sealed. */
export class UnsealError extends Error {
  override readonly name = "UnsealError";
}

export async function seal(file: Blob): Promise<Sealed> {
  const key = await crypto.subtle.generateKey({ name: algorithm, length: 256 }, true, ["encrypt"]);
  const iv = crypto.getRandomValues(new Uint8Array(ivBytes));
  const encrypted = await crypto.subtle.encrypt({ name: algorithm, iv }, key, await file.arrayBuffer());
  const bytes = new Uint8Array(ivBytes + encrypted.byteLength);
  bytes.set(iv);
  bytes.set(new Uint8Array(encrypted), ivBytes);
  return { bytes, key: textOf(new Uint8Array(await crypto.subtle.exportKey("raw", key))) };
}

/** @throws UnsealError if a byte is another one, or the key */
export async function unseal(bytes: Uint8Array<ArrayBuffer>, key: string): Promise<Blob> {
  try {
    const opener = await crypto.subtle.importKey("raw", bytesOf(key), algorithm, false, ["decrypt"]);
    const iv = bytes.subarray(0, ivBytes);
    return new Blob([await crypto.subtle.decrypt({ name: algorithm, iv }, opener, bytes.subarray(ivBytes))]);
  } catch (cause) {
    throw new UnsealError("What arrived is not what was sent. Make another link on the other device.", { cause });
  }
}

export function fragmentOf({ id, key }: LinkSecret): string {
  return `#${id}.${key}`;
}

/** @returns undefined for a fragment of anything else */
export function secretOf(fragment: string): LinkSecret | undefined {
  const [, id, key] = /^#([\w-]{22})\.([\w-]{43})$/.exec(fragment) ?? [];
  return id === undefined || key === undefined ? undefined : { id, key };
}

function textOf(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
}
