import { createHash } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Plugin } from "@oclif/core/config";
import { settings } from "@oclif/core/settings";
import { type BuildOptions, build, type Plugin as EsbuildPlugin } from "esbuild";
import { bundlePageScripts } from "../infra/bundles/page-scripts.ts";
import { formatApiUrl, parseApiUrl } from "./src/api-url.ts";
import { thirdPartyLicences } from "./third-party-licences.ts";

const here = import.meta.dirname;
const root = join(here, "..");

/**
 * Bundles the command line into dist/: bundle.cjs contains everything, oclif too, so that the package has no dependencies
 * and reads one file to start; version.cjs prints the version. What is large and seldom needed is apart: zip.cjs is read to publish a
 * zip, contract-check.cjs after a failure, page-scripts.json to write a page.
 *
 * CommonJS, because Node starts it fastest, and because importing node:http from an ES module loads undici.
 */
async function buildCli(): Promise<void> {
  const commandLine = await build({
    ...common,
    entryPoints: {
      bundle: join(root, "programs/cli.ts"),
      version: join(here, "src/version.ts"),
      "contract-check": join(root, `programs/${contractCheck}`),
    },
    // oclif needs it only to run TypeScript plugins in development.
    external: ["typescript"],
    plugins: [sortedWithoutCollation, apart],
  });
  const zip = await build({
    ...common,
    // The names that contract/folder/zip.ts imports of it.
    stdin: { contents: `export { BlobReader, configure, ZipReader } from "${zipReader}";`, resolveDir: root },
    entryNames: "zip",
  });
  const pages = await bundlePageScripts("export.ts");
  await mkdir(join(here, "dist"), { recursive: true });
  const files = [...commandLine.outputFiles, ...zip.outputFiles];
  await Promise.all(files.map(({ path, text }) => replaceFile(path, toLatin1(withDigest(text)))));
  // The programs of the pages that commands of options write, by the option's name.
  await replaceFile(join(here, "dist/page-scripts.json"), JSON.stringify(pages.scripts));
  const metafile = {
    inputs: { ...commandLine.metafile.inputs, ...zip.metafile.inputs, ...pages.inputs },
    outputs: { ...commandLine.metafile.outputs, ...zip.metafile.outputs },
  };
  await replaceFile(join(here, "dist/licences.txt"), await thirdPartyLicences(root, metafile));
  // For the bill of materials. In build/, because everything in dist/ is shipped.
  await mkdir(join(root, "build/cli"), { recursive: true });
  await replaceFile(join(root, "build/cli/meta.json"), JSON.stringify(metafile));
}

const common = {
  absWorkingDir: root,
  outdir: join(here, "dist"),
  outExtension: { ".js": ".cjs" },
  bundle: true,
  platform: "node",
  target: "node22.21",
  format: "cjs",
  // Names and line breaks stay, so that the stack trace of DEBUG=1 is readable.
  minifySyntax: true,
  legalComments: "none",
  // import("node:http") would start the ES module loader and read every export, which loads undici; require does neither.
  supported: { "dynamic-import": false },
  define: {
    "import.meta.dirname": "__dirname",
    "process.env.SVC_DEFAULT_API": JSON.stringify(defaultApi()),
  },
  metafile: true,
  write: false,
} as const satisfies BuildOptions;

const zipReader = "@zip.js/zip.js/index-native.js";

const contractCheck = "contract-check.ts";

/** Leaves these out of the bundle. index.cjs, whose `require` the bundle gets, is one folder above. */
const apart: EsbuildPlugin = {
  name: "apart",
  setup({ onResolve }) {
    const files: readonly (readonly [module: string, file: string])[] = [
      [zipReader, "zip.cjs"],
      [`./${contractCheck}`, "contract-check.cjs"],
    ];
    for (const [module, file] of files)
      onResolve({ filter: new RegExp(`^${module}$`) }, () => ({ path: `./dist/${file}`, external: true }));
  },
};

/**
 * oclif sorts the commands of its manifest by `localeCompare`, whose first call loads ICU's collation rules: a tenth of the
 * processor time of `svc whoami` (docs/decisions/0012-one-bundle-for-the-command-line.md). Their names are ASCII.
 */
const sortedWithoutCollation: EsbuildPlugin = {
  name: "sorted-without-collation",
  setup({ onLoad }) {
    onLoad({ filter: /@oclif[\\/]core[\\/]lib[\\/]config[\\/]plugin\.js$/ }, async ({ path }) => {
      const [before, after, ...others] = (await readFile(path, "utf8")).split("a.id.localeCompare(b.id)");
      if (after === undefined || others.length > 0) throw new Error(`${path} no longer sorts commands as it did`);
      return { contents: `${before}(a.id < b.id ? -1 : 1)${after}` };
    });
  },
};

/** Writes a file in one moment: a command line that runs meanwhile reads the old one or the new one, whole. */
async function replaceFile(path: string, contents: string | Uint8Array): Promise<void> {
  const temporary = `${path}.${process.pid}`;
  await writeFile(temporary, contents);
  await rename(temporary, path);
}

/** The built-in API URL, checked like every other; empty for none. */
function defaultApi(): string {
  const text = process.env["SVC_DEFAULT_API"] ?? "";
  return text === "" ? "" : formatApiUrl(parseApiUrl(text, "SVC_DEFAULT_API"));
}

/**
 * Encodes as Latin-1, which index.cjs reads in a third of the time of UTF-8. esbuild escapes other characters in strings,
 * but not in regular expressions.
 */
function toLatin1(source: string): Buffer {
  if (/[^\0-\xff]/.test(source)) throw new Error("The bundle has a character outside Latin-1");
  return Buffer.from(source, "latin1");
}

/** Appends to a bundle its SHA-256 in a comment: index.cjs names the cached compiled code after it. */
function withDigest(source: string): string {
  return `${source}// ${createHash("sha256").update(source).digest("hex")}\n`;
}

/** Writes oclif.manifest.json, as `oclif manifest` does: the commands and flags, which oclif reads before it loads a command. */
async function writeManifest(): Promise<void> {
  settings.enableAutoTranspile = false;
  const plugin = new Plugin({ root: here, type: "core", ignoreManifest: true, errorOnManifestCreate: true });
  await plugin.load();
  await replaceFile(join(here, "oclif.manifest.json"), JSON.stringify(plugin.manifest));
}

await buildCli();
await writeManifest();
