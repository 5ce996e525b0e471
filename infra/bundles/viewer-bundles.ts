import { hash } from "node:crypto";
import { readdir, readFile, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { replaceFile } from "../bundle.ts";
import { root } from "../home.ts";
import type { ViewerFunction, ViewerSettings } from "./viewer-functions.ts";

/** Whatever the code can come from. */
const sources = [
  "edge",
  "contract",
  "infra/bundles/viewer-functions.ts",
  "infra/bundles/viewer-bundles.ts",
  "package-lock.json",
];

type ViewerCode = Readonly<Record<ViewerFunction, string>>;

/**
 * The code of a stage's viewer functions, as `viewerFunctionCode` makes it, from the file of an earlier call if no source is
 * newer: to load the compilers alone takes longer than to start the rest of the local service.
 */
export async function viewerBundles(settings: ViewerSettings): Promise<ViewerCode> {
  const path = join(root, "build/viewer", `${hash("sha256", JSON.stringify(settings)).slice(0, 16)}.json`);
  const startedAt = new Date();
  if (await isNewerThanSources(path)) return JSON.parse(await readFile(path, "utf8"));
  const { viewerFunctionCode } = await import("./viewer-functions.ts");
  const code = {
    "viewer-request": viewerFunctionCode("viewer-request", settings),
    "viewer-own": viewerFunctionCode("viewer-own", settings),
    "viewer-response": viewerFunctionCode("viewer-response", settings),
  };
  await replaceFile(path, JSON.stringify(code));
  // A source that has changed since then may not be in it.
  await utimes(path, startedAt, startedAt);
  return code;
}

async function isNewerThanSources(path: string): Promise<boolean> {
  const bundleFile = await stat(path).catch(() => undefined);
  if (bundleFile === undefined) return false;
  const paths = await Promise.all(
    sources.map(async (source) => {
      const path = join(root, source);
      if (source.includes(".")) return [path];
      const names = await readdir(path, { recursive: true });
      return names.filter((name) => !name.endsWith(".test.ts")).map((name) => join(path, name));
    }),
  );
  const times = await Promise.all(paths.flat().map(async (path) => (await stat(path)).mtimeMs));
  return times.every((time) => time < bundleFile.mtimeMs);
}
