import { checksPrefix, foundKey, foundPrefix } from "./object-keys.ts";
import { listObjects, readObject, writeObject } from "./store.ts";

/*
 * Requests to check copies, and what was found out before all has arrived. The bucket deletes both after some days.
 */

/** Keys in one list of S3, its maximum. */
const pageSize = 1_000;

/** A request to check the copies that a manifest names. */
export interface CheckRequest {
  readonly slug: string;
  readonly digest: string;
  /** Digests of manifests whose facts hold here too, and whose files may be dictionaries. */
  readonly older: readonly string[];
  /** Set: only files of the manifest and of these may be dictionaries. */
  readonly onlyNamed?: true;
}

/** Requests that a warm function has read, by their keys: they never change. */
const cache = new Map<string, CheckRequest>();
const requestsKept = 1_000;

/** The latest requests of a project, one for each manifest, the last one first. */
export async function findCheckRequests(slug: string, maxRequests: number): Promise<CheckRequest[]> {
  const prefix = checksPrefix(slug);
  const keys = await keysBelow(prefix);
  const requests = keys
    .map((key) => ({ key, digest: key.slice(prefix.length).split("/")[0] ?? "" }))
    .toSorted((a, b) => (timeOf(a.key) < timeOf(b.key) ? 1 : -1));
  const latest = [...new Map(requests.toReversed().map((request) => [request.digest, request])).values()];
  const wanted = latest.toSorted((a, b) => (timeOf(a.key) < timeOf(b.key) ? 1 : -1)).slice(0, maxRequests);
  return await Promise.all(wanted.map(({ key }) => readCheckRequest(key)));
}

function timeOf(key: string): string {
  return key.slice(key.lastIndexOf("/") + 1);
}

/** Reads a request by its key. */
export async function readCheckRequest(key: string): Promise<CheckRequest> {
  const cached = cache.get(key);
  if (cached !== undefined) return cached;
  const { older, onlyNamed } = JSON.parse((await readObject(key)).toString());
  const [, slug = "", digest = ""] = key.split("/");
  const request = { slug, digest, older, ...(onlyNamed && { onlyNamed }) };
  if (cache.size >= requestsKept) cache.clear();
  cache.set(key, request);
  return request;
}

/** What was found out about one copy of a manifest, by its place among them. */
export interface Finding {
  readonly index: number;
  readonly verdict: "true" | "different";
}

/** Everything that was noted of a manifest's copies. */
export async function readFindings(slug: string, digest: string): Promise<Finding[]> {
  const keys = await keysBelow(foundPrefix(slug, digest));
  const noted = await Promise.all(keys.map(async (key) => JSON.parse((await readObject(key)).toString()) as Finding[]));
  return noted.flat();
}

export async function writeFindings(
  { slug, digest, name }: { readonly slug: string; readonly digest: string; readonly name: string },
  findings: readonly Finding[],
): Promise<void> {
  await writeObject(foundKey(slug, digest, name), Buffer.from(JSON.stringify(findings)));
}

async function keysBelow(prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for (let startAfter = prefix; ; ) {
    const { objects, isTruncated } = await listObjects({ prefix, startAfter, maximum: pageSize });
    keys.push(...objects.map(({ key }) => key));
    const last = objects.at(-1);
    if (!isTruncated || last === undefined) return keys;
    startAfter = last.key;
  }
}
