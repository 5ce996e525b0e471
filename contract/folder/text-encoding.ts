/*
 * The encodings in which people's editors and shells write small files: UTF-8, or UTF-16, as Windows PowerShell's > does.
 */

/** Whether a text that was read as UTF-8 is UTF-16: there is a zero byte beside each letter. */
export function isUtf16(text: string): boolean {
  return text.includes("\0");
}

/** The text of a file in UTF-8 or in UTF-16 of either byte order, without its mark. */
export function textIn(bytes: Uint8Array): string {
  return new TextDecoder(encodingOf(bytes)).decode(bytes);
}

/** Without a mark, the place of the zero byte of an ASCII character tells the byte order. */
function encodingOf([first, second]: Uint8Array): "utf-8" | "utf-16le" | "utf-16be" {
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return "utf-16le";
  if ((first === 0xfe && second === 0xff) || (first === 0 && second !== undefined)) return "utf-16be";
  return "utf-8";
}
