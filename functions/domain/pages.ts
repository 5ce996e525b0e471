import type { Slice } from "../table/read.ts";
import { ServiceError } from "./service-error.ts";

/** Which part of a list a caller asks for. */
export interface Page {
  readonly limit: number;
  /** `nextCursor` of the page before. */
  readonly cursor?: string | undefined;
}

/**
 * The slice of the table that a page is. A cursor contains the end of the last item's sort key, so it stays valid when
 * the list changes.
 *
 * @throws ServiceError `invalid_cursor`
 */
export function sliceOf({ limit, cursor }: Page): Slice {
  return { limit, after: cursor === undefined ? undefined : decodeCursor(cursor) };
}

/** The cursor of the page after the item `last`; null where there is none. */
export function cursorAfter(last: string | undefined): string | null {
  return last === undefined ? null : encodeCursor(last);
}

/** @internal */
export function encodeCursor(id: string): string {
  return Buffer.from(id).toString("base64url");
}

/**
 * @internal
 * @throws ServiceError `invalid_cursor` for a text that {@link encodeCursor} did not return
 */
export function decodeCursor(cursor: string): string {
  const id = Buffer.from(cursor, "base64url").toString();
  if (!/^[\w-]{1,64}$/.test(id) || encodeCursor(id) !== cursor) throw new ServiceError("invalid_cursor");
  return id;
}
