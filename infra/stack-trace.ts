import { existsSync, readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { relative } from "node:path";
import { text } from "node:stream/consumers";
import { bundleFolderOf } from "./bundle.ts";

/*
 * `node infra/stack-trace.ts -- get-me < trace.txt`: replaces positions in the minified bundle by positions in the sources,
 * in a stack trace from a function's log. The same commit always gives the same bundles: check out the deployed commit and
 * run `npm run build` first. The source maps are not deployed, because a function would read them at every cold start.
 */
const bundlePosition = /(?:file:\/\/)?[^\s(]*\/index\.mjs:(\d+):(\d+)/g;

/** Replaces the positions in a function's bundle. A position that the source map does not have stays as it is. */
function translateStackTrace(stackTrace: string, folder: string): string {
  const map = new SourceMap(JSON.parse(readFileSync(mapIn(folder), "utf8")));
  return stackTrace.replace(bundlePosition, (original, line, column) => {
    const entry = map.findEntry(Number(line) - 1, Number(column) - 1);
    if (!("originalSource" in entry) || entry.originalLine === undefined) return original;
    const file = relative(process.cwd(), `${folder}/${entry.originalSource}`);
    return `${file}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  });
}

function mapIn(folder: string): string {
  return `${folder}/index.mjs.map`;
}

const folder = bundleFolderOf(process.argv[2] ?? "");
if (existsSync(mapIn(folder))) process.stdout.write(translateStackTrace(await text(process.stdin), folder));
else {
  console.error("Name the function, after npm run build: node infra/stack-trace.ts -- get-me < trace.txt");
  process.exitCode = 2;
}
