import type { ComponentChildren } from "preact";
import { useCallback, useEffect, useState } from "preact/hooks";
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
  readonly hasMore: boolean;
  readonly busy: boolean;
  readonly problem: string | undefined;
  more(): Promise<void>;
  /** Starts again from the first page; what is shown stays until it is there. */
  reload(): Promise<void>;
}

/** @param load reads the page at a cursor; a list is read anew when `key` changes */
export function useList<Item>(
  key: string,
  load: (cursor: string | undefined) => Promise<ListPage<Item>>,
): LoadedList<Item> {
  const [items, setItems] = useState<readonly Item[]>();
  const [cursor, setCursor] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const read = useCallback(
    async (from: string | undefined, before: readonly Item[]) => {
      setBusy(true);
      setProblem(undefined);
      try {
        const page = await load(from);
        setItems([...before, ...page.items]);
        setCursor(page.nextCursor);
      } catch (error) {
        setProblem(messageOf(error));
      } finally {
        setBusy(false);
      }
    },
    [key],
  );
  useEffect(() => {
    void read(undefined, []);
  }, [read]);
  return {
    items,
    hasMore: cursor !== null,
    busy,
    problem,
    more: () => (cursor === null || busy ? Promise.resolve() : read(cursor, items ?? [])),
    reload: () => read(undefined, []),
  };
}

interface ListProps<Item> {
  readonly list: LoadedList<Item>;
  readonly label: string;
  readonly keyOf: (item: Item) => string;
  readonly row: (item: Item) => ComponentChildren;
  /** What stands there while the list has nothing. */
  readonly empty: ComponentChildren;
}

export function List<Item>({ list, label, keyOf, row, empty }: ListProps<Item>) {
  const { items, hasMore, busy, problem } = list;
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
        <ul class="rows" aria-label={label}>
          {items.map((item) => (
            <li key={keyOf(item)} class="row">
              {row(item)}
            </li>
          ))}
        </ul>
      )}
      {hasMore && (
        <div class="more">
          <Button busy={busy} onClick={() => list.more()}>
            Show more
          </Button>
        </div>
      )}
    </>
  );
}

/** Takes the room of three rows, so that nothing moves when they come. */
function ListSkeleton() {
  return (
    <div class="rows skeleton" role="status">
      <span class="visually-hidden">Loading</span>
      <div class="row" />
      <div class="row" />
      <div class="row" />
    </div>
  );
}
