import { slugOfKey } from "../../edge/project/pointer.ts";
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

/** Store whose values are read from the table each time: for a service without an embedded store, as most tests start one. */
export function storeOfTable(): Store {
  return {
    get: async (key) => found(await readValue(key)),
    exists: async (key) => (await readValue(key)) !== undefined,
  };
}

function found(value: string | undefined): string {
  if (value === undefined) throw new Error("The store has no such key");
  return value;
}

async function readValue(key: string): Promise<string | undefined> {
  const slug = slugOfKey(key);
  return new Map(entriesOf(slug, await readProject(slug), new Date())).get(key);
}
