import { existsSync, readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { relative } from "node:path";
import { text } from "node:stream/consumers";
import { bundleFolderOf } from "./bundle.ts";

/*
 * `npm run --silent read-stack -- get-me < stack.txt`: a stack from a function's log, which names places in a minified bundle,
 * with the places in our sources instead. A commit always gives the same bundles: check out the one that is deployed and
 * run `npm run build` first. The maps are not deployed, because a function would read them at every cold start.
 */
const place = /(?:file:\/\/)?[^\s(]*\/index\.mjs:(\d+):(\d+)/g;

/** Replaces the places in a function's bundle by those in the sources; a place that the map does not know stays. */
function readStack(stack: string, folder: string): string {
  const map = new SourceMap(JSON.parse(readFileSync(mapIn(folder), "utf8")));
  return stack.replace(place, (original, line, column) => {
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
if (existsSync(mapIn(folder))) process.stdout.write(readStack(await text(process.stdin), folder));
else {
  console.error("Say which function, after npm run build: npm run --silent read-stack -- get-me < stack.txt");
  process.exitCode = 2;
}
