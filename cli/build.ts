import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Plugin } from "@oclif/core/config";
import { settings } from "@oclif/core/settings";
import { build } from "esbuild";
import { parseApi, showApi } from "./src/api-address.ts";
import { thirdPartyLicences } from "./third-party-licences.ts";

const here = import.meta.dirname;
const root = join(here, "..");

/**
 * Bundles the command line into dist/: bundle.cjs with everything in it, oclif too, so that the package has no dependencies
 * and starting it reads one file; version.cjs, which only tells the version; hash-worker.cjs, the second thread of publishing.
 *
 * CommonJS because that is what node starts fastest, and because importing node:http from an ES module loads undici.
 */
async function buildCli(): Promise<void> {
  const { metafile, outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: {
      bundle: join(here, "src/index.ts"),
      version: join(here, "src/version.ts"),
      "hash-worker": join(here, "src/publish/hash-worker.ts"),
    },
    outdir: join(here, "dist"),
    outExtension: { ".js": ".cjs" },
    bundle: true,
    platform: "node",
    target: "node20.15",
    format: "cjs",
    // oclif asks for it only to run the TypeScript sources of plugins in development.
    external: ["typescript"],
    // Names and line breaks stay: the stack that DEBUG=1 shows is for reading.
    minifySyntax: true,
    legalComments: "none",
    // import("node:http") would start the ES module loader and read every export, undici with them; require does neither.
    supported: { "dynamic-import": false },
    define: {
      "import.meta.dirname": "__dirname",
      "process.env.SVC_DEFAULT_API": JSON.stringify(defaultApi()),
    },
    metafile: true,
    write: false,
  });
  await mkdir(join(here, "dist"), { recursive: true });
  await Promise.all(outputFiles.map(({ path, text }) => writeFile(path, oneByteEach(withDigest(text)))));
  await writeFile(join(here, "dist/licences.txt"), await thirdPartyLicences(root, metafile));
  // What the bundle is made of, for the bill of materials; not beside it, where it would be shipped.
  await mkdir(join(root, "build/cli"), { recursive: true });
  await writeFile(join(root, "build/cli/meta.json"), JSON.stringify(metafile));
}

/** The API that is built in, checked as every other; empty for none. */
function defaultApi(): string {
  const text = process.env["SVC_DEFAULT_API"] ?? "";
  return text === "" ? "" : showApi(parseApi(text, "SVC_DEFAULT_API"));
}

/**
 * One byte a character, which index.cjs reads in a third of the time that UTF-8 takes. esbuild escapes in strings what is
 * not ASCII; regular expressions of packages keep such characters.
 */
function oneByteEach(source: string): Buffer {
  if (/[^\0-\xff]/.test(source)) throw new Error("The bundle has a character that one byte cannot hold");
  return Buffer.from(source, "latin1");
}

/** Ends a bundle with a comment that no other bundle has: index.cjs keeps compiled code under it. */
function withDigest(source: string): string {
  return `${source}// ${createHash("sha256").update(source).digest("hex")}\n`;
}

/** What oclif knows of the commands before one is loaded, as `oclif manifest` writes it. */
async function writeManifest(): Promise<void> {
  settings.enableAutoTranspile = false;
  const plugin = new Plugin({ root: here, type: "core", ignoreManifest: true, errorOnManifestCreate: true });
  await plugin.load();
  await writeFile(join(here, "oclif.manifest.json"), JSON.stringify(plugin.manifest));
}

await buildCli();
await writeManifest();
