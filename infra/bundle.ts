import { hash } from "node:crypto";
import { globSync } from "node:fs";
import { chmod, mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BuildOptions, build, type Metafile, type Plugin, stop } from "esbuild";
import { leanContract } from "./bundles/lean-contract.ts";
import { leanSdk, leanSdkOfOne } from "./bundles/lean-sdk.ts";
import { bundlePageScripts } from "./bundles/page-scripts.ts";

/*
 * Bundles every function in one pass of esbuild: functions/handlers/get-me.ts becomes build/functions/get-me/index.mjs
 * with its source map beside it; so do the functions of functions/jobs/, functions/origin/ and options. `npm start` runs the same
 * files that are deployed.
 */
const root = fileURLToPath(new URL("..", import.meta.url));
/** An option has its routes' handlers and its jobs in folders of the same names; and functions of the core with what it adds to them. */
const apiFolders = [
  ...["functions/handlers", "functions/jobs"],
  ...globSync("options/*/{handlers,jobs}", { cwd: root }).toSorted(),
];
/** The program of the games' origin gives it the pages of options. */
const edgeFolders = ["functions/origin", "programs/origin"];
const sourceFolders = [...apiFolders, ...edgeFolders];

/**
 * In `npm test` and `npm run test:browser` (test/support/global-setup.ts) the functions of the API share chunks of code, because each
 * service loads most of them into one process: with the SDK, the contract and the rules once, not 60 times, it takes a quarter less
 * processor time. Functions at the edge are bundled as they are deployed, since the tests give each instance a memory of its own.
 */
const isSplit = process.env["SPLIT_FUNCTIONS"] === "1";
const outputPath = isSplit ? "build/split-functions" : "build/functions";
const outputFolder = join(root, outputPath);
const chunkFolder = "chunks";
const metafilePath = join(outputFolder, "meta.json");

/**
 * Whether the bundles are of the sources, which nobody changes while this process runs. The tests build them once, before all: to compare
 * them and to read what each was made of takes half of a service's processor time.
 */
export const areFunctionsBuilt = process.env["FUNCTIONS_ARE_BUILT"] === "1";

/** One bundled function: its kebab-case name and the size of its minified code. */
export interface BundledFunction {
  readonly name: string;
  readonly sizeBytes: number;
}

/** The folder that holds one function's `index.mjs`, by its kebab-case name: what is deployed. */
export function bundleFolderOf(functionName: string): string {
  return join(outputFolder, functionName);
}

/**
 * Bundles all functions and returns their sizes. An unchanged file is not written, and a changed one is replaced
 * atomically, so that a running service never reads half a file.
 *
 * @throws BuildFailure of esbuild, which has already printed what is wrong
 */
export async function bundleFunctions(): Promise<BundledFunction[]> {
  const startedAt = new Date();
  const sources = await functionSources();
  const pages = await bundlePages();
  const built = await buildOnce(pages.scripts);
  const metafile: Metafile = {
    inputs: Object.assign(pages.inputs, ...built.map((part) => part.metafile.inputs)),
    outputs: Object.assign({}, ...built.map((part) => part.metafile.outputs)),
  };
  const outputFiles = built.flatMap((part) => part.outputFiles);
  await rm(join(outputFolder, chunkFolder), { recursive: true, force: true });
  await Promise.all(outputFiles.map(({ path, contents }) => replaceFile(path, contents)));
  await replaceFile(metafilePath, JSON.stringify({ ...metafile, digest: await digestOf(metafile) }));
  // A source that has changed since then may not be in the bundles.
  await utimes(metafilePath, startedAt, startedAt);
  return sources.map(({ name }) => ({
    name,
    sizeBytes: metafile.outputs[`${outputPath}/${name}/index.mjs`]?.bytes ?? 0,
  }));
}

/** The files of the repository of which a function's bundle is made, and when they were read at the latest. */
export interface BundleSources {
  readonly files: readonly string[];
  readonly readAt: number;
}

/** Sources of a function's bundle as all functions were bundled the last time. */
export async function bundledSources(name: string): Promise<BundleSources> {
  const { mtimeMs: readAt } = await stat(metafilePath);
  return { files: ownSources(JSON.parse(await readFile(metafilePath, "utf8")), name), readAt };
}

/**
 * Bundles one function of the API again, for a service that runs on. The next {@link bundleChangedFunctions} bundles them all.
 *
 * @throws BuildFailure of esbuild, which has already printed what is wrong
 */
export async function bundleFunction(name: string): Promise<BundleSources> {
  // One after the other: each ends esbuild's process.
  const bundled = bundling.then(() => bundleAlone(name));
  bundling = bundled.catch(() => undefined);
  return await bundled;
}

let bundling: Promise<unknown> = Promise.resolve();

async function bundleAlone(name: string): Promise<BundleSources> {
  const readAt = Date.now();
  const sources = (await functionSources(apiFolders)).filter((source) => source.name === name);
  try {
    const plugins = [lazyBuiltins, leanSdkOfOne, leanContract];
    const { outputFiles, metafile } = await buildSources(sources, {}, { plugins });
    await Promise.all(outputFiles.map(({ path, contents }) => replaceFile(path, contents)));
    return { files: ownSources(metafile, name), readAt };
  } finally {
    await stop();
  }
}

function ownSources({ outputs }: Metafile, name: string): string[] {
  const inputs = Object.keys(outputs[`${outputPath}/${name}/index.mjs`]?.inputs ?? {});
  return inputs.filter((path) => !/:|node_modules\//.test(path)).map((path) => join(root, path));
}

/** The programs of the pages of options, each a constant of the functions: that of options/profiles/page/ is PROFILES_PAGE_SCRIPT. */
async function bundlePages() {
  const { scripts, inputs } = await bundlePageScripts("main.ts");
  const constants = Object.entries(scripts).map(([option, script]) => [
    `${option.toUpperCase()}_PAGE_SCRIPT`,
    JSON.stringify(script),
  ]);
  return { scripts: Object.fromEntries(constants) as Record<string, string>, inputs };
}

/** Runs esbuild and stops it, which frees its memory. Go's garbage collection would take a third of the time. */
async function buildOnce(define: Record<string, string>) {
  process.env["GOGC"] ??= "off";
  const splitting = { splitting: true, chunkNames: `${chunkFolder}/[name]-[hash]` };
  try {
    if (!isSplit) return [await buildFolders(sourceFolders, define)];
    return [await buildFolders(apiFolders, define, splitting), await buildFolders(edgeFolders, define)];
  } finally {
    await stop();
  }
}

async function buildFolders(
  folders: string[],
  define: Record<string, string>,
  options: Pick<BuildOptions, "splitting" | "chunkNames"> = {},
) {
  const plugins = [lazyBuiltins, leanSdk, leanContract];
  return await buildSources(await functionSources(folders), define, { plugins, ...options });
}

async function buildSources(sources: readonly FunctionSource[], define: Record<string, string>, options: BuildOptions) {
  return await build({
    absWorkingDir: root,
    entryPoints: sources.map(({ name, path }) => ({ in: path, out: `${name}/index` })),
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
    ...options,
    metafile: true,
    write: false,
    define,
  });
}

/**
 * Bundles only if the bundles, or anything that they are made of, are not as they were the last time: a source is newer or has another
 * content, a handler was added or removed.
 */
export async function bundleChangedFunctions(): Promise<void> {
  if (!(await areBundlesCurrent())) await bundleFunctions();
}

async function areBundlesCurrent(): Promise<boolean> {
  try {
    const bundledAt = (await stat(metafilePath)).mtimeMs;
    const metafile = JSON.parse(await readFile(metafilePath, "utf8")) as Metafile & { digest?: string };
    const expected = (await functionSources()).map(({ name }) => `${outputPath}/${name}/index.mjs`);
    const times = await Promise.all(sourcesOf(metafile).map(async (path) => (await stat(path)).mtimeMs));
    const bundled = bundlesOf(metafile);
    const entries = bundled.filter((path) => !path.includes(`/${chunkFolder}/`));
    if (times.some((time) => time >= bundledAt) || entries.toSorted().join() !== expected.toSorted().join())
      return false;
    if ((await digestOf(metafile)) !== metafile.digest) return false;
    await Promise.all(bundled.map((path) => makeReadable(join(root, path))));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

function sourcesOf({ inputs }: Metafile): string[] {
  const plugins = ["bundle.ts", "bundles/lean-contract.ts", "bundles/lean-sdk.ts", "bundles/page-scripts.ts"].map(
    (file) => join(import.meta.dirname, file),
  );
  const files = Object.keys(inputs).filter((path) => !path.includes(":"));
  return [...plugins, ...["package-lock.json", ...files].map((path) => join(root, path))];
}

function bundlesOf({ outputs }: Metafile): string[] {
  return Object.keys(outputs).filter((path) => path.endsWith(".mjs"));
}

/** Digest of the contents: a copied or unpacked file may be older than bundles that do not have it. */
async function digestOf(metafile: Metafile): Promise<string> {
  const files = [...sourcesOf(metafile), ...bundlesOf(metafile).map((path) => join(root, path))];
  const digests = await Promise.all(files.map(async (path) => hash("sha256", await readFile(path))));
  return hash("sha256", digests.join());
}

interface FunctionSource {
  readonly name: string;
  readonly path: string;
}

/**
 * The sources of the functions of these folders. A function of the core that an option also has is the option's, which adds to it.
 *
 * @throws Error if two options have the same function
 */
async function functionSources(folders = sourceFolders): Promise<FunctionSource[]> {
  const files = await Promise.all(
    folders.map(async (folder) => {
      const names = await readdir(join(root, folder)).catch(() => []);
      return names.map((file) => ({ name: file.slice(0, -3), path: join(root, folder, file) }));
    }),
  );
  const sources = new Map<string, FunctionSource>();
  for (const source of files.flat().filter(({ path }) => path.endsWith(".ts") && !path.endsWith(".test.ts"))) {
    const other = sources.get(source.name);
    if (other !== undefined && !other.path.startsWith(join(root, "functions")))
      throw new Error(`Two options have the function ${source.name}: let one of them add what both do.`);
    sources.set(source.name, source);
  }
  return [...sources.values()];
}

/** Writes a file with its folder, unless it is the same, in one moment: whoever reads meanwhile never reads half of it. */
export async function replaceFile(path: string, contents: Uint8Array | string): Promise<void> {
  if (path !== metafilePath && (await readFile(path).catch(() => undefined))?.equals(Buffer.from(contents)))
    return await makeReadable(path);
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}`;
  await writeFile(temporary, contents);
  await makeReadable(temporary);
  await rename(temporary, path);
}

/**
 * Lambda runs a function as another user, and its archive keeps the modes of the files: with a umask of 077 every function
 * would fail with EACCES. CDK's fingerprint ignores modes (aws/aws-cdk#8233).
 */
async function makeReadable(path: string): Promise<void> {
  await chmod(path, 0o644);
  await chmod(dirname(path), 0o755);
}

/**
 * In Node, `import` of node:http reads every export, and one of these getters loads undici: 30 ms of every cold start
 * (nodejs/node#57649, #59686). In the bundles a builtin module is a CommonJS module whose exports are read where they are
 * used, so that Node loads only what a request needs.
 */
const lazyBuiltins: Plugin = {
  name: "lazy-builtins",
  setup({ initialOptions, onResolve, onLoad }) {
    initialOptions.banner = {
      js: "const lazyBuiltin=n=>Object.create(new Proxy({},{get:(_,k)=>process.getBuiltinModule(n)[k]}),{__esModule:{value:!1}});",
    };
    onResolve({ filter: /^[a-z:/_]+$/ }, ({ path }) =>
      isBuiltin(path)
        ? { path: path.replace(/^(?!node:)/, "node:"), namespace: "builtin", sideEffects: false }
        : undefined,
    );
    onLoad({ filter: /.*/, namespace: "builtin" }, ({ path }) => ({
      contents: `module.exports = lazyBuiltin("${path}")`,
    }));
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
