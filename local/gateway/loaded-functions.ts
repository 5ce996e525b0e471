import { statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import {
  areFunctionsBuilt,
  type BundleSources,
  bundledSources,
  bundleFolderOf,
  bundleFunction,
} from "../../infra/bundle.ts";

// biome-ignore lint/suspicious/noExplicitAny: events differ by what calls the function
type Handler = (event: any, context: any) => Promise<any>;

interface LoadedFunction extends BundleSources {
  readonly handler: Handler;
}

const loaded = new Map<string, LoadedFunction>();
const loading = new Map<string, Promise<LoadedFunction>>();

/**
 * The handler of a function, loaded at its first call. If one of its sources has changed since, the function is bundled and loaded again: the
 * call runs the new code, and the service keeps its data. While the sources cannot be bundled, the former code runs.
 *
 * @param name of its bundle
 */
export async function loadFunction(name: string): Promise<Handler> {
  const former = loaded.get(name);
  if (former !== undefined && (areFunctionsBuilt || !haveChanged(former))) return former.handler;
  const load = loading.get(name) ?? loadChanged(name, former).finally(() => loading.delete(name));
  loading.set(name, load);
  return (await load).handler;
}

async function loadChanged(name: string, former: LoadedFunction | undefined): Promise<LoadedFunction> {
  const made = former === undefined ? await loadBundle(name) : await reload(name, former);
  loaded.set(name, made);
  return made;
}

async function loadBundle(name: string): Promise<LoadedFunction> {
  if (areFunctionsBuilt) return { handler: await importBundle(name), files: [], readAt: 0 };
  const sources = await bundledSources(name);
  if (!haveChanged(sources)) return { handler: await importBundle(name), ...sources };
  const made = await bundleFunction(name);
  return { handler: await importBundle(name), ...made };
}

async function reload(name: string, former: LoadedFunction): Promise<LoadedFunction> {
  const readAt = Date.now();
  try {
    const sources = await bundleFunction(name);
    const handler = await importBundle(name, sources.readAt);
    console.log(`${name} was loaded again.`);
    return { handler, ...sources };
  } catch (error) {
    console.error(`${name} could not be loaded again, and its former code runs: ${(error as Error).message}`);
    return { ...former, readAt };
  }
}

/** Whether a source is another one than was read, or is gone. A file system may count time in steps, so what was written at that very moment counts too. */
function haveChanged({ files, readAt }: BundleSources): boolean {
  return files.some((path) => {
    const { mtimeMs = Number.POSITIVE_INFINITY } = statSync(path, { throwIfNoEntry: false }) ?? {};
    return mtimeMs >= readAt;
  });
}

/** @param version of its code, if it was loaded before */
async function importBundle(name: string, version?: number): Promise<Handler> {
  const url = pathToFileURL(join(bundleFolderOf(name), "index.mjs"));
  if (version !== undefined) url.searchParams.set("version", String(version));
  return (await import(url.href)).handler;
}
