import { hash } from "node:crypto";
import { mkdir, readdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ViewerFunction, ViewerSettings } from "./viewer-functions.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
/** Whatever the code can come from. */
const sources = ["edge", "contract", "infra/viewer-functions.ts", "infra/viewer-bundles.ts", "package-lock.json"];

type ViewerCode = Readonly<Record<ViewerFunction, string>>;

/**
 * The code of a stage's viewer functions, as `viewerFunctionCode` makes it, from the file of an earlier call where no source is
 * newer: to load the compilers alone takes longer than to start the rest of the local service.
 */
export async function viewerBundles(settings: ViewerSettings): Promise<ViewerCode> {
  const path = join(root, "build/viewer", `${hash("sha256", JSON.stringify(settings)).slice(0, 16)}.json`);
  const begun = Date.now();
  if (await isNewerThanSources(path)) return JSON.parse(await readFile(path, "utf8"));
  const { viewerFunctionCode } = await import("./viewer-functions.ts");
  const code = {
    "viewer-request": viewerFunctionCode("viewer-request", settings),
    "viewer-response": viewerFunctionCode("viewer-response", settings),
  };
  // A source that has changed since then may not be in it.
  if (!(await areOlderThan(begun))) return code;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.${process.pid}`, JSON.stringify(code));
  await rename(`${path}.${process.pid}`, path);
  return code;
}

async function isNewerThanSources(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found !== undefined && (await areOlderThan(found.mtimeMs));
}

async function areOlderThan(time: number): Promise<boolean> {
  const paths = await Promise.all(
    sources.map(async (source) => {
      const path = join(root, source);
      if (source.includes(".")) return [path];
      return (await readdir(path)).filter((file) => !file.endsWith(".test.ts")).map((file) => join(path, file));
    }),
  );
  const times = await Promise.all(paths.flat().map(async (path) => (await stat(path)).mtimeMs));
  return times.every((each) => each < time);
}
