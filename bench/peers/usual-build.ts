import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";

/*
 * The peer of infra/bundle.ts: the same handlers from the same sources, written and built the way that most functions are.
 * One ES module a function by esbuild, minified, the SDK in it with its chain of credential providers, `import { z } from
 * "zod"`, middy's defaults and Powertools' Logger.
 */
const root = fileURLToPath(new URL("../..", import.meta.url));
const outputFolder = join(root, "build/bench/usual");

/** The bundle of a function, by its kebab-case name. */
export function usualBundleOf(name: string): string {
  return join(outputFolder, name, "index.mjs");
}

/** Builds the peer of every function and returns their sizes in bytes by kebab-case name. */
export async function buildUsualFunctions(): Promise<ReadonlyMap<string, number>> {
  const files = await readdir(join(root, "functions/handlers"));
  const names = files.filter((file) => /^[a-z-]+\.ts$/.test(file)).map((file) => file.slice(0, -3));
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: names.map((name) => ({ in: `functions/handlers/${name}.ts`, out: `${name}/index` })),
    outdir: outputFolder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node24",
    mainFields: ["module", "main"],
    minify: true,
    metafile: true,
    logLevel: "error",
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    plugins: [usualSources],
  });
  return new Map(names.map((name) => [name, metafile.outputs[`build/bench/usual/${name}/index.mjs`]?.bytes ?? 0]));
}

/** Names that zod/mini has for what zod calls otherwise. */
const zodNames: readonly (readonly [RegExp, string])[] = [
  [/import \* as z from "zod\/mini"/g, 'import { z } from "zod"'],
  [/\bz\.minimum\(/g, "z.gte("],
  [/\bz\.maximum\(/g, "z.lte("],
  [/\bz\.extend\((\w+), /g, "$1.extend("],
];

const usualSources: Plugin = {
  name: "usual-sources",
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /\/log\.ts$/ }, ({ importer }) =>
      importer.includes("/functions/http/") ? { path: join(root, "bench/peers/powertools-log.ts") } : undefined,
    );
    onLoad({ filter: /\/(contract|functions)\/.*\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, "utf8");
      const usual = zodNames.reduce((text, [name, other]) => text.replace(name, other), source);
      return { contents: usual.replace("{ timeoutEarlyInMillis: 0 }", ""), loader: "ts" };
    });
  },
};
