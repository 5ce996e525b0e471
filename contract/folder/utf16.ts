/** Whether a text that was read as UTF-8 is UTF-16, as Windows PowerShell's > writes it: there is a zero byte beside each letter. */
export function isUtf16(text: string): boolean {
  return text.includes("\0");
}
