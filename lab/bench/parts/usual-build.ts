import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";

/*
 * The contender of infra/bundle.ts: the same handlers from the same sources, built like most Lambda functions.
 * One ES module a function by esbuild, minified, the SDK in it with its chain of credential providers, `import { z } from
 * "zod"`, middy's defaults and Powertools' Logger.
 */
const root = fileURLToPath(new URL("../../..", import.meta.url));
const outputFolder = join(root, "build/bench/usual");

/** The bundle of a function, by its kebab-case name. */
export function usualBundleOf(name: string): string {
  return join(outputFolder, name, "index.mjs");
}

/** Builds the peer of every function. */
export async function buildUsualFunctions(): Promise<void> {
  const handlers = globSync("{functions,options/*}/handlers/+([a-z-]).ts", { cwd: root });
  await build({
    absWorkingDir: root,
    entryPoints: handlers.map((file) => ({ in: file, out: `${basename(file, ".ts")}/index` })),
    outdir: outputFolder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node24",
    mainFields: ["module", "main"],
    minify: true,
    logLevel: "error",
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    plugins: [usualSources],
  });
}

/** Patterns in the sources and their usual replacements. Each must be found, or the build would not be the usual one. */
const replacements: readonly (readonly [RegExp, string])[] = [
  [/import \* as z from "zod\/mini"/g, 'import { z } from "zod"'],
  [/\bz\.minimum\(/g, "z.gte("],
  [/\bz\.maximum\(/g, "z.lte("],
  [/\bz\.extend\((\w+), /g, "$1.extend("],
  [/\{ timeoutEarlyInMillis: 0 \}/g, ""],
];

const usualSources: Plugin = {
  name: "usual-sources",
  setup({ onEnd, onLoad, onResolve }) {
    const found = new Set<RegExp>();
    onResolve({ filter: /\/log\.ts$/ }, ({ importer }) =>
      importer.includes("/functions/http/") ? { path: join(root, "lab/bench/parts/powertools-log.ts") } : undefined,
    );
    onLoad({ filter: /\/(contract|functions|options)\/.*\.ts$/ }, async ({ path }) => {
      let contents = await readFile(path, "utf8");
      for (const [pattern, usual] of replacements) {
        if (contents.search(pattern) >= 0) found.add(pattern);
        contents = contents.replace(pattern, usual);
      }
      return { contents, loader: "ts" };
    });
    onEnd(() => {
      const missing = replacements.filter(([pattern]) => !found.has(pattern));
      if (missing.length > 0) throw new Error(`Not found in the sources: ${missing.join("; ")}`);
    });
  },
};
