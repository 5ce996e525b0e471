/** Bytes of an object, both ends included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * The range of a GET or HEAD (RFC 9110, section 14). S3 sends the whole object for a header that it cannot read or that names several.
 *
 * @returns undefined: the whole object; null: no byte of an object of this size
 */
export function rangeOfHeader(header: string | undefined, size: number): ByteRange | null | undefined {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(header ?? "") ?? [];
  if (first === undefined || last === undefined || (first === "" && last === "")) return undefined;
  if (first === "")
    return last === "0" || size === 0 ? null : { start: Math.max(0, size - Number(last)), end: size - 1 };
  const start = Number(first);
  const end = last === "" ? size - 1 : Number(last);
  if (last !== "" && start > end) return undefined;
  return start < size ? { start, end: Math.min(end, size - 1) } : null;
}
