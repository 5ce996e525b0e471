import { slugOfKey } from "../../edge/pointer.ts";
import { entriesOf } from "../../functions/domain/projects/pointers.ts";
import { readProject } from "../../functions/table/projects/project-items.ts";
import type { EdgeCopy } from "../pointers/edge-copy.ts";
import type { Store } from "./viewer-runtime.ts";

/** A location's copy of the key-value store, as the viewer's functions read it: `get` fails for an absent key. */
export function storeOfCopy(copy: EdgeCopy): Store {
  return {
    get: async (key) => found(copy.get(key)),
    exists: async (key) => copy.get(key) !== undefined,
  };
}

/** How long what the table says is kept. */
const keptMilliseconds = 1_000;
const keptKeys = 1_000;

/**
 * What the store would have, read from the table at most once a second: for a service without an embedded store, as most tests
 * start one.
 */
export function storeOfTable(): Store {
  const kept = new Map<string, { readonly readAt: number; readonly value: Promise<string | undefined> }>();
  const read = (key: string) => {
    const known = kept.get(key);
    if (known !== undefined && Date.now() - known.readAt < keptMilliseconds) return known.value;
    const value = readValue(key);
    kept.delete(key);
    kept.set(key, { readAt: Date.now(), value });
    // After a failure the next request reads again.
    value.catch(() => kept.delete(key));
    const [oldest] = kept.keys();
    if (kept.size > keptKeys && oldest !== undefined) kept.delete(oldest);
    return value;
  };
  return { get: async (key) => found(await read(key)), exists: async (key) => (await read(key)) !== undefined };
}

function found(value: string | undefined): string {
  if (value === undefined) throw new Error("The store has no such key");
  return value;
}

async function readValue(key: string): Promise<string | undefined> {
  const slug = slugOfKey(key);
  return new Map(entriesOf(slug, await readProject(slug), new Date())).get(key);
}
