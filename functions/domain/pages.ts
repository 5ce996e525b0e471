import { createHash } from "node:crypto";
import type { Slice } from "../table/read.ts";
import { ServiceError } from "./service-error.ts";

/** Part of a list that a caller asks for. */
export interface Page {
  readonly limit: number;
  /** `nextCursor` of the page before. */
  readonly cursor?: string | undefined;
}

/**
 * The slice of the table that a page is. A cursor contains the end of the last item's sort key, so it stays valid when
 * the list changes.
 *
 * @param list names the list, and whose it is: the cursor of another one is refused
 * @throws ServiceError `invalid_cursor`
 */
export function sliceOf({ limit, cursor }: Page, list: string): Slice {
  return { limit, after: cursor === undefined ? undefined : decodeCursor(cursor, list) };
}

/** The cursor of the page of `list` after the item `last`; null if there is none. */
export function cursorAfter(last: string | undefined, list: string): string | null {
  return last === undefined ? null : encodeCursor(last, list);
}

/** @internal */
export function encodeCursor(id: string, list: string): string {
  return Buffer.from(markOf(list) + id).toString("base64url");
}

/** A slice of texts that are all known, in their order, and the last one if more follow. */
export function sliceOfAll(all: readonly string[], { limit, after = "" }: Slice) {
  const rest = all.toSorted().filter((each) => each > after);
  return { items: rest.slice(0, limit), last: rest.length > limit ? rest[limit - 1] : undefined };
}

const markLength = 6;

/** It tells lists apart, and is no secret. */
function markOf(list: string): string {
  return createHash("sha256").update(list).digest("base64url").slice(0, markLength);
}

/**
 * @internal
 * @throws ServiceError `invalid_cursor` for a text that {@link encodeCursor} did not return for this list
 */
export function decodeCursor(cursor: string, list: string): string {
  const id = Buffer.from(cursor, "base64url").toString().slice(markLength);
  if (!/^[\w-]{1,64}$/.test(id) || encodeCursor(id, list) !== cursor) throw new ServiceError("invalid_cursor");
  return id;
}
