import { mkdir, readdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BuildOptions, build, type Metafile, type Plugin, stop } from "esbuild";
import { leanContract } from "./lean-contract.ts";

/*
 * Bundles every function in one pass of esbuild: functions/handlers/get-me.ts becomes build/functions/get-me/index.mjs
 * with its source map beside it. The same files are deployed and served by the local service.
 */
const root = fileURLToPath(new URL("..", import.meta.url));
const handlersFolder = join(root, "functions/handlers");
const outputFolder = join(root, "build/functions");
const metafilePath = join(outputFolder, "meta.json");

/** One bundled function: its kebab-case name and the size of its minified code. */
export interface BundledFunction {
  readonly name: string;
  readonly sizeBytes: number;
}

/** The folder that holds one function's `index.mjs`, by the kebab-case name of its route: what is deployed. */
export function bundleFolderOf(functionName: string): string {
  return join(outputFolder, functionName);
}

/**
 * Bundles all functions and returns their sizes. A file whose content stays the same is left alone, and a changed one
 * is replaced whole, so a stage that is running never reads half a file.
 *
 * @throws BuildFailure of esbuild, which has already printed what is wrong
 */
export async function bundleFunctions(): Promise<BundledFunction[]> {
  const names = await handlerNames();
  const { outputFiles, metafile } = await buildOnce({
    absWorkingDir: root,
    entryPoints: names.map((name) => ({ in: join(handlersFolder, `${name}.ts`), out: `${name}/index` })),
    outdir: outputFolder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node24",
    mainFields: ["module", "main"],
    minify: true,
    legalComments: "none",
    sourcemap: "external",
    sourcesContent: false,
    metafile: true,
    write: false,
    plugins: [builtinsWithoutUndici, environmentCredentials, unusedPartsOfTheSdk, leanContract],
  });
  await Promise.all(outputFiles.map(({ path, contents }) => replaceFile(path, contents)));
  await replaceFile(metafilePath, JSON.stringify(metafile));
  return names.map((name) => ({
    name,
    sizeBytes: metafile.outputs[`build/functions/${name}/index.mjs`]?.bytes ?? 0,
  }));
}

/** Runs esbuild and ends it, which frees its memory: to collect garbage on the way there would take a third of its time. */
async function buildOnce(options: BuildOptions & { write: false; metafile: true }) {
  process.env["GOGC"] ??= "off";
  try {
    return await build(options);
  } finally {
    await stop();
  }
}

/** Bundles only where a source is newer than the last bundles, or a handler came or went. */
export async function bundleChangedFunctions(): Promise<void> {
  if (!(await areBundlesCurrent())) await bundleFunctions();
}

async function areBundlesCurrent(): Promise<boolean> {
  try {
    const bundledAt = (await stat(metafilePath)).mtimeMs;
    const { inputs, outputs } = JSON.parse(await readFile(metafilePath, "utf8")) as Metafile;
    const expected = (await handlerNames()).map((name) => `build/functions/${name}/index.mjs`);
    const sources = [fileURLToPath(import.meta.url), join(root, "package-lock.json")].concat(
      Object.keys(inputs)
        .filter((path) => !path.includes(":"))
        .map((path) => join(root, path)),
    );
    const times = await Promise.all(sources.map(async (path) => (await stat(path)).mtimeMs));
    const bundled = Object.keys(outputs).filter((path) => path.endsWith(".mjs"));
    return times.every((time) => time < bundledAt) && bundled.toSorted().join() === expected.toSorted().join();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

async function handlerNames(): Promise<string[]> {
  const files = await readdir(handlersFolder).catch(() => []);
  return files.filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts")).map((file) => file.slice(0, -3));
}

async function replaceFile(path: string, contents: Uint8Array | string): Promise<void> {
  if (path !== metafilePath && (await readFile(path).catch(() => undefined))?.equals(Buffer.from(contents))) return;
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}`;
  await writeFile(temporary, contents);
  await rename(temporary, path);
}

/**
 * An `import` of node:http runs the getters of all its exports, one of which loads undici: 30 ms of every cold start
 * (nodejs/node#57649, #59686). Here a builtin is a module whose exports are read one by one, and esbuild leaves out
 * those that nobody imports.
 */
const builtinsWithoutUndici: Plugin = {
  name: "builtins-without-undici",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^[a-z:/_]+$/ }, ({ path, kind }) => {
      if (!isBuiltin(path)) return undefined;
      const namespace = kind === "import-statement" ? "imported-builtin" : "builtin";
      return { path: path.replace(/^(?!node:)/, "node:"), namespace, sideEffects: false };
    });
    onLoad({ filter: /.*/, namespace: "imported-builtin" }, ({ path }) => ({ contents: moduleOfBuiltin(path) }));
    // An `import()` of CommonJS copies every own property and so runs some getters; an heir has none of its own.
    onLoad({ filter: /.*/, namespace: "builtin" }, ({ path }) => ({
      contents: `module.exports = Object.create(process.getBuiltinModule("${path}"))`,
    }));
  },
};

function moduleOfBuiltin(path: string): string {
  const names = Object.keys(process.getBuiltinModule(path) ?? {}).filter((name) => /^[A-Za-z_]\w*$/.test(name));
  return [
    `const $builtin = /* @__PURE__ */ process.getBuiltinModule("${path}");`,
    "const $read = (name) => $builtin[name];",
    "export default $builtin;",
    ...names.map((name) => `export const ${name} = /* @__PURE__ */ $read("${name}");`),
  ].join("\n");
}

/** Lambda gives a function its credentials in the environment; the SDK's chain of other sources is a third of its code. */
const environmentCredentials: Plugin = {
  name: "environment-credentials",
  setup({ onResolve }) {
    onResolve({ filter: /^@aws-sdk\/credential-provider-node$/ }, () => ({
      path: fileURLToPath(import.meta.resolve("../functions/table/environment-credentials.ts")),
    }));
  },
};

/**
 * Parts of the SDK that a function does not reach: it has no ~/.aws, which is read at every cold start otherwise; no
 * body is a file's stream, whose class is slow to load; no operation streams events; and of its package.json a client
 * needs the version.
 */
const unusedPartsOfTheSdk: Plugin = {
  name: "unused-parts-of-the-sdk",
  setup({ onResolve, onLoad }) {
    onLoad({ filter: /\/shared-ini-file-loader\/readFile\.js$/ }, () => ({
      contents:
        "export const filePromises = {}, fileIntercept = {}; export const readFile = async () => { throw new Error(); };",
    }));
    onLoad({ filter: /\/util-body-length\/calculateBodyLength\.js$/ }, async ({ path }) => ({
      contents: (await readFile(path, "utf8")).replace(/^import .* from "node:fs";$/m, "class ReadStream {}"),
    }));
    onResolve({ filter: /^@smithy\/core\/event-streams$/ }, ({ path, kind }) =>
      kind === "dynamic-import" ? { path, namespace: "unused" } : undefined,
    );
    onLoad({ filter: /.*/, namespace: "unused" }, ({ path }) => ({
      contents: `throw new Error(${JSON.stringify(`${path} is left out of the bundles (infra/bundle.ts)`)})`,
    }));
    onLoad({ filter: /\/@aws-sdk\/client-[a-z0-9-]+\/package\.json$/ }, async ({ path }) => {
      const { version } = JSON.parse(await readFile(path, "utf8"));
      return { contents: JSON.stringify({ version }), loader: "json" };
    });
  },
};

async function printSizes(): Promise<void> {
  const started = performance.now();
  const functions = await bundleFunctions();
  for (const { name, sizeBytes } of functions.toSorted((a, b) => b.sizeBytes - a.sizeBytes))
    console.log(`${(sizeBytes / 1_000).toFixed(1).padStart(8)} kB  ${name}`);
  console.log(`${functions.length} functions bundled in ${Math.round(performance.now() - started)} ms`);
}

if (import.meta.main) await (process.argv.includes("--changed") ? bundleChangedFunctions() : printSizes());
