/*
 * Secrets inside files, found by their form. A published file is public. Only forms are taken that nothing else has.
 */
import { isCompressedType, type StoredEncoding, storedEncodingOf } from "../api/releases/content-types.ts";
import { isWellFormedToken, maskToken } from "../api/tokens/token-format.ts";
import type { Advice } from "./advice.ts";
import { longestForm, secretsIn } from "./secret-forms.ts";

/** Secrets found in a file. */
export interface FoundSecrets {
  /** A token of this service, masked: prefix and checksum are right, so it is no other text. Such a file is refused. */
  readonly token?: string;
  /** Other secrets that seem to be there, as the object of "contains"; they only cause a warning. */
  readonly others: readonly string[];
}

/** Bytes at the beginning of a file in which others than tokens of this service are looked for: the text of a game has fewer. */
const maxText = 4 * 1024 * 1024;
/** Bytes that a compressed file is unpacked to at most, to look into it. A small file can unpack to any number. */
const maxUnpacked = 1024 * 1024 * 1024;

const underscore = "_".charCodeAt(0);
const prefix = [..."pat"].map((letter) => letter.charCodeAt(0));
const tokenLength = 64;

/** In UTF-16, with a zero byte beside each character. */
const longestToken = 2 * tokenLength;

/** Looks for secrets in a file whose bytes come piece by piece. */
export class SecretScan {
  readonly #hasText: boolean;
  readonly #others = new Set<string>();
  #token: string | undefined;
  #length = 0;
  /** The end of the earlier pieces. */
  #bytes: Uint8Array = new Uint8Array();
  #text: Uint8Array = new Uint8Array();

  constructor({ path }: { readonly path: string }) {
    this.#hasText = !isCompressedType(path);
  }

  /** Whether the next piece should be looked at, too: of what is unpacked, the first GiB is. */
  update(chunk: Uint8Array): boolean {
    this.#token ??= tokenIn(joined(this.#bytes, chunk.subarray(0, longestToken))) ?? tokenIn(chunk);
    this.#bytes = joined(this.#bytes, chunk.subarray(-longestToken)).slice(-longestToken);
    if (this.#hasText && this.#length < maxText) {
      // Without the zero bytes of UTF-16.
      const text = chunk.includes(0) ? chunk.filter((byte) => byte !== 0) : chunk;
      this.#search(joined(this.#text, text.subarray(0, longestForm)));
      this.#search(text);
      this.#text = joined(this.#text, text.subarray(-longestForm)).slice(-longestForm);
    }
    this.#length += chunk.length;
    return this.#length < maxUnpacked;
  }

  #search(text: Uint8Array): void {
    for (const words of secretsIn(text)) this.#others.add(words);
  }

  secrets(): FoundSecrets | undefined {
    const [token, others] = [this.#token, [...this.#others]];
    if (token === undefined && others.length === 0) return undefined;
    return { ...(token !== undefined && { token: maskToken(token) }), others };
  }
}

/**
 * How a file is compressed that has to be unpacked to look into it; the inner path is that of the text. Gzip is found by its first bytes,
 * whatever the name; Brotli has no such bytes, and is found by the name. Unity's .unityweb is one of them.
 */
export function packingOf(path: string, head: Uint8Array): StoredEncoding | undefined {
  const innerPath = storedEncodingOf(path)?.innerPath ?? path.replace(/\.(?:gz|tgz|unityweb)$/i, "");
  if (head[0] === 0x1f && head[1] === 0x8b) return { encoding: "gzip", innerPath };
  return /\.(?:br|unityweb)$/i.test(path) ? { encoding: "br", innerPath } : undefined;
}

/** Both, each secret once. */
export function bothFound(one: FoundSecrets | undefined, other: FoundSecrets | undefined): FoundSecrets | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return { ...other, ...one, others: [...new Set([...one.others, ...other.others])] };
}

/** Finds the underscores first, which is as fast as the bytes can be read. */
function tokenIn(bytes: Uint8Array): string | undefined {
  for (let at = bytes.indexOf(underscore); at !== -1; at = bytes.indexOf(underscore, at + 1)) {
    const token = tokenAround(bytes, at, 1) ?? tokenAround(bytes, at, 2);
    if (token !== undefined) return token;
  }
  return undefined;
}

/** @param width bytes of a character: in UTF-16, of both byte orders, a letter is two bytes from the next one */
function tokenAround(bytes: Uint8Array, at: number, width: number): string | undefined {
  const start = at - prefix.length * width;
  if (start < 0 || prefix.some((byte, index) => bytes[start + index * width] !== byte)) return undefined;
  const codes = Array.from({ length: tokenLength }, (_, index) => bytes[start + index * width] ?? 0);
  const text = String.fromCharCode(...codes);
  return isWellFormedToken(text) ? text : undefined;
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array {
  const both = new Uint8Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}

type Scanned = readonly { readonly path: string; readonly secrets?: FoundSecrets | undefined }[];

/** One line for each file with a token of this service. */
export function tokenPlaces(files: Scanned): string[] {
  return files.flatMap(({ path, secrets }) =>
    secrets?.token === undefined ? [] : [`${path}: contains the svc token ${secrets.token}`],
  );
}

/** Follows {@link tokenPlaces}. */
export const tokenAdvice =
  "Whoever plays the game could publish with it: revoke it, and build the game without it. svc publish needs no token in any file.";

/** Other secrets that files seem to have, each kind once. */
export function secretAdvice(files: Scanned): Advice[] {
  const byWords = new Map<string, string[]>();
  for (const { path, secrets } of files)
    for (const words of secrets?.others ?? []) byWords.set(words, [...(byWords.get(words) ?? []), path]);
  return [...byWords].map(([secret, places]) => ({ code: "secret_in_file", places, secret }));
}
