import { type Advice, aboutPlaces } from "./advice.ts";

/*
 * The names of a zip that does not say how they are written. Windows writes them in the code page of its language, without a word
 * (APPNOTE.TXT, section 4.4.4, bit 11): the same bytes are other names in another language.
 */

/** Letters of western languages, which code pages 437 and 850 have at the same places. */
const western = /^[\u0020-\u007eÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜáíóúñÑªº¿ßµ]*$/;
/** Characters that names in Japanese have beside ASCII; not the half-width forms, which can also be read as other languages. */
const japanese = /^[\u0020-\u007e\u3000-\u30ff\u4e00-\u9fff\uff01-\uff5e]*$/;
const twoKana = /[\u3041-\u3096\u30a1-\u30fc]{2}/;

/** Names as they were read, and whether other ones are possible; undefined if that cannot be told. */
interface ReadNames {
  readonly names: readonly string[];
  readonly isCertain: boolean;
}

/**
 * Reads names that are neither marked as UTF-8 nor valid UTF-8.
 *
 * @param raw the bytes of each
 * @param as437 the same, read in code page 437
 */
export function namesOf(raw: readonly Uint8Array[], as437: readonly string[]): ReadNames | undefined {
  const names = raw.map((bytes) => decoded(bytes, "shift_jis"));
  if (
    names.every((name) => name !== undefined && japanese.test(name)) &&
    names.some((name) => twoKana.test(name ?? ""))
  )
    return { names: names.map((name) => name ?? ""), isCertain: true };
  return as437.every((name) => western.test(name)) ? { names: as437, isCertain: false } : undefined;
}

/** Whether a name needs {@link namesOf}. */
export function isUnmarked(raw: Uint8Array): boolean {
  return raw.some((byte) => byte > 0x7f) && decoded(raw, "utf-8") === undefined;
}

/** Advice about names that may be other ones. */
export function guessedNames(files: readonly { readonly path: string; readonly isNameGuessed?: true }[]): Advice[] {
  const guessed = files.filter(({ isNameGuessed }) => isNameGuessed);
  return aboutPlaces(
    "names_guessed",
    guessed.map(({ path }) => path),
  );
}

function decoded(bytes: Uint8Array, encoding: "utf-8" | "shift_jis"): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
