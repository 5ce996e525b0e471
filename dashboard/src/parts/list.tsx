import type { ComponentChildren } from "preact";
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { messageOf } from "../messages.ts";
import { Button } from "./button.tsx";
import { Notice } from "./notice.tsx";

/** A page of a list, and where the next one begins. */
export interface ListPage<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

/** A list that comes page by page. */
export interface LoadedList<Item> {
  /** Undefined until the first page is there. */
  readonly items: readonly Item[] | undefined;
  /** The same, page by page; none of them is empty. */
  readonly pages: readonly (readonly Item[])[];
  readonly hasMore: boolean;
  readonly busy: boolean;
  readonly problem: string | undefined;
  more(): Promise<void>;
  /** Starts again from the first page, if it has begun at all; what is shown stays until it is there. */
  reload(): Promise<void>;
}

/**
 * @param load reads the page at a cursor; a list is read anew when `key` changes
 * @param isWanted whether it is read already
 */
export function useList<Item>(
  key: string,
  load: (cursor: string | undefined) => Promise<ListPage<Item>>,
  isWanted = true,
): LoadedList<Item> {
  const [pages, setPages] = useState<readonly (readonly Item[])[]>();
  const items = useMemo(() => pages?.flat(), [pages]);
  const [cursor, setCursor] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const latest = useRef<Promise<ListPage<Item>>>(undefined);
  const read = useCallback(
    async (from: string | undefined, before: readonly (readonly Item[])[]) => {
      setBusy(true);
      setProblem(undefined);
      const loading = load(from);
      latest.current = loading;
      const [settled] = await Promise.allSettled([loading]);
      // A page that was asked for before the list was read anew belongs to what the list was then.
      if (latest.current !== loading) return;
      setBusy(false);
      if (settled.status === "rejected") return setProblem(messageOf(settled.reason));
      const { items: page, nextCursor } = settled.value;
      // The last page of a list may be empty, if the page before was full.
      setPages(page.length > 0 ? [...before, page] : before);
      setCursor(nextCursor);
    },
    [key],
  );
  useEffect(() => {
    if (isWanted) void read(undefined, []);
  }, [read, isWanted]);
  return {
    items,
    pages: pages ?? [],
    hasMore: cursor !== null,
    busy,
    problem,
    more: () => (cursor === null || busy ? Promise.resolve() : read(cursor, pages ?? [])),
    reload: async () => latest.current && read(undefined, []),
  };
}

/** Items of a list that have been read and match. */
export function filtered<Item>(list: LoadedList<Item>, matches: (item: Item) => boolean): LoadedList<Item> {
  const pages = list.pages.map((page) => page.filter(matches)).filter((page) => page.length > 0);
  return { ...list, pages, items: list.items && pages.flat() };
}

interface ListProps<Item> {
  readonly list: LoadedList<Item>;
  readonly label: string;
  readonly keyOf: (item: Item) => string;
  /** A page is drawn again if this or `keyOf` is another function, so a long list keeps them. */
  readonly row: (item: Item) => ComponentChildren;
  /** Content that is shown while the list is empty. */
  readonly empty: ComponentChildren;
}

export function List<Item>({ list, label, keyOf, row, empty }: ListProps<Item>) {
  const { items, pages, hasMore, busy, problem } = list;
  return (
    <>
      {problem && (
        <Notice kind="problem">
          <p>{problem}</p>
          <Button onClick={() => list.reload()}>Try again</Button>
        </Notice>
      )}
      {items === undefined && !problem && <ListSkeleton />}
      {items?.length === 0 && empty}
      {items !== undefined && items.length > 0 && (
        // One list to a screen reader: the elements around the rows of each page mean nothing to it.
        // biome-ignore lint/a11y/useSemanticElements: the children of a ul are its items
        <div class="rows" role="list" aria-label={label}>
          {pages.map((page) => (
            <Rows key={page[0] && keyOf(page[0])} items={page} keyOf={keyOf} row={row} />
          ))}
        </div>
      )}
      {hasMore && (
        <div class="more">
          <Button busy={busy} doing="Loading more…" onClick={() => list.more()}>
            Show more
          </Button>
        </div>
      )}
    </>
  );
}

/**
 * One page, in an element that is laid out and painted for itself. When another page follows, this one is neither compared nor
 * laid out again: with each row for itself, turning a page would grow slower with the rows before. Pages out of sight keep
 * their layout (no `content-visibility`), because Chromium shows a screen reader nothing of what it skips.
 */
function Rows<Item>({ items, keyOf, row }: { items: readonly Item[] } & Pick<ListProps<Item>, "keyOf" | "row">) {
  return useMemo(
    () => (
      <div class="rows-page">
        {items.map((item) => (
          // biome-ignore lint/a11y/useSemanticElements: its parent is no ul
          <div key={keyOf(item)} id={`row-${keyOf(item)}`} class="row" role="listitem">
            {row(item)}
          </div>
        ))}
      </div>
    ),
    [items, keyOf, row],
  );
}

/** The key of what has an id. */
export function idOf({ id }: { readonly id: string }): string {
  return id;
}

/** Takes the space of three rows, so that nothing moves when they arrive; nobody takes them for an empty table. @param text says for what one waits */
export function ListSkeleton({ text = "Loading…" }: { readonly text?: string }) {
  return (
    <div class="rows skeleton" role="status">
      <p class="row">{text}</p>
      <div class="row" />
      <div class="row" />
    </div>
  );
}
