import { type Store, type ViewerEvent, viewerRuntime } from "../../../local/edge/viewer-runtime.ts";

/** A store with these values, whose `get` fails for an absent key. */
export function storeOf(values: ReadonlyMap<string, string>): Store {
  return {
    get: async (key) => values.get(key) ?? Promise.reject(new Error("key not found")),
    exists: async (key) => values.has(key),
  };
}

/** Calls a CloudFront function with copies of events, and returns copies of results: it gets and gives no more than JSON can have. */
export function copyingRuntime(code: string, store = storeOf(new Map())) {
  const run = viewerRuntime(code, store);
  return async ({ query, ...event }: ViewerEvent): Promise<ReturnType<typeof JSON.parse>> =>
    JSON.parse(JSON.stringify(await run({ ...JSON.parse(JSON.stringify(event)), query })));
}
