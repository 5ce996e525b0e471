import { execFile } from "node:child_process";
import { hash } from "node:crypto";
import { copyFile, mkdir, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { type BuildOptions, build, type Metafile, stop } from "esbuild";
import { createTar } from "nanotar";
import { helpFolder, helpPages } from "./help.ts";
import { assetsFolder, packagePath, pinnedPackagePath } from "./site.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** The built page: what is served on the dashboard's host. */
export const siteFolder = join(root, "build/dashboard");

/**
 * Bundles the page into build/dashboard: index.html, pages of help, icons, and assets whose names change with their content, so that
 * a browser may keep them for good.
 *
 * @throws BuildFailure of esbuild, which has already printed what is wrong
 */
export async function buildDashboard(): Promise<void> {
  await Promise.all([bundlePage(), packCommandLine()]);
  await nameDigest();
}

/**
 * Packs the command line, which npm installs from the dashboard's host, as `npm pack` does: the files that its package.json names. The
 * same files are the same bytes, whenever and wherever they are packed.
 */
async function packCommandLine(): Promise<void> {
  const folder = join(root, "cli");
  if ((await timeOf(join(folder, "dist/bundle.cjs"))) === 0)
    await promisify(execFile)(process.execPath, ["cli/build.ts"], { cwd: root });
  const { files, bin } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const programs: unknown[] = Object.values(bin);
  const entries = await Promise.all(
    ["package.json", "LICENSE", "README.md", ...files].map(async (name: string) => ({
      name: `package/${name}`,
      data: await readFile(join(folder, name)),
      attrs: { mode: programs.includes(name) ? "755" : "644" },
    })),
  );
  const tar = createTar(entries, { attrs: { uid: 0, gid: 0, mtime: Date.UTC(2000) } });
  await mkdir(siteFolder, { recursive: true });
  await writeFile(join(siteFolder, packagePath), gzipSync(tar, { level: 9 }));
  await pinPackage();
}

/** Copies the package to where it stays, instead of that of an earlier build. */
async function pinPackage(): Promise<void> {
  const assets = join(siteFolder, assetsFolder);
  await mkdir(assets, { recursive: true });
  const pinned = pinnedPackagePath(hash("sha256", await readFile(join(siteFolder, packagePath))));
  const old = (await readdir(assets)).filter((name) => name.endsWith(".tgz") && name !== basename(pinned));
  await Promise.all(old.map((name) => rm(join(assets, name), { force: true })));
  if ((await timeOf(join(siteFolder, pinned))) === 0)
    await copyFile(join(siteFolder, packagePath), join(siteFolder, pinned));
}

const options = {
  absWorkingDir: root,
  outdir: "build/dashboard/assets",
  entryNames: "[name]-[hash]",
  chunkNames: "[name]-[hash]",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "browser",
  // Chrome 123, Firefox 125 and Safari 17.5, of spring 2024, support light-dark() and everything else that is used.
  target: ["es2022", "chrome123", "firefox125", "safari17.5"],
  jsx: "automatic",
  jsxImportSource: "preact",
  minify: true,
  legalComments: "none",
  metafile: true,
  write: false,
} as const satisfies BuildOptions;

/** What is served as it is. Browsers ask for the icons by these names, without a link; the two images were drawn of the SVG. */
const plainFiles = ["icon.svg", "favicon.ico", "apple-touch-icon.png", "robots.txt"];

/** The picture that chats show of a link to the page: a test's walk keeps it. */
const cardPicture = "docs/images/live.png";

/** The worker first, because the page has its path. */
async function bundlePage(): Promise<void> {
  const startedAt = new Date();
  try {
    const encoder = await encoderFile();
    const worker = await build({
      ...options,
      entryPoints: ["dashboard/src/publish/worker.ts"],
      define: { encoderPath: JSON.stringify(`/${served(encoder.path)}`) },
    });
    const workerPath = `/${served(outputNameOf(worker.metafile.outputs, "dashboard/src/publish/worker.ts"))}`;
    const page = await build({
      ...options,
      entryPoints: ["programs/dashboard.ts", "dashboard/src/help-page.ts", "programs/style.css", "dashboard/help.css"],
      define: { workerPath: JSON.stringify(workerPath) },
    });
    const outputFiles = [encoder, ...worker.outputFiles, ...page.outputFiles];
    await mkdir(join(siteFolder, "assets"), { recursive: true });
    await Promise.all(outputFiles.map(({ path, contents }) => writeFile(path, contents)));
    await Promise.all(plainFiles.map((name) => copyFile(join(root, "dashboard", name), join(siteFolder, name))));
    await copyFile(join(root, cardPicture), join(siteFolder, "card.png"));
    await writeHelp(page.metafile);
    // After the assets that it names, so that a service which is running never serves a page without its script.
    await writeFile(join(siteFolder, "index.html"), await html(page.metafile));
    // A source that has changed since then may not be in it.
    await utimes(join(siteFolder, "index.html"), startedAt, startedAt);
    await removeOthers(outputFiles.map(({ path }) => basename(path)));
  } finally {
    await stop();
  }
}

async function writeHelp(metafile: Metafile): Promise<void> {
  const template = await readFile(join(root, "dashboard/help.html"), "utf8");
  const pages = await helpPages(
    template
      .replace("{style}", outputOf(metafile, "programs/style.css"))
      .replace("{help}", outputOf(metafile, "dashboard/help.css"))
      .replace("{script}", outputOf(metafile, "dashboard/src/help-page.ts")),
  );
  await mkdir(join(siteFolder, helpFolder), { recursive: true });
  await Promise.all([...pages].map(([name, text]) => writeFile(join(siteFolder, helpFolder, name), text)));
}

/** The WebAssembly that compresses with Brotli, by its digest. */
async function encoderFile() {
  const contents = await readFile(join(root, "node_modules/brotli-wasm/pkg.web/brotli_wasm_bg.wasm"));
  return { path: join(siteFolder, assetsFolder, `brotli-${hash("sha256", contents).slice(0, 16)}.wasm`), contents };
}

/** Removes the page's assets of earlier builds. */
async function removeOthers(current: readonly string[]): Promise<void> {
  const names = await readdir(join(siteFolder, "assets"));
  const old = names.filter((name) => !current.includes(name) && !name.endsWith(".tgz"));
  await Promise.all(old.map((name) => rm(join(siteFolder, "assets", name), { force: true })));
}

/** Builds the page only if a source is newer, and packs the command line only if its bundle is. */
export async function buildChangedDashboard(): Promise<void> {
  await Promise.all([bundleChangedPage(), packChangedCommandLine()]);
  await nameDigest();
}

/** Names the digest of the command line's package in the pages of help, which have another one for an example. */
async function nameDigest(): Promise<void> {
  const digest = hash("sha256", await readFile(join(siteFolder, packagePath)));
  const folder = join(siteFolder, helpFolder);
  for (const name of await readdir(folder)) {
    const text = await readFile(join(folder, name), "utf8");
    const named = text.replaceAll(/\b[0-9a-f]{64}\b/g, digest);
    if (named !== text) await writeFile(join(folder, name), named);
  }
}

async function packChangedCommandLine(): Promise<void> {
  const bundledAt = await timeOf(join(root, "cli/dist/bundle.cjs"));
  if (bundledAt === 0 || bundledAt > (await timeOf(join(siteFolder, packagePath)))) await packCommandLine();
  else await pinPackage();
}

/** When a file was written, in milliseconds; 0 if there is none. */
async function timeOf(path: string): Promise<number> {
  return await stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
}

async function bundleChangedPage(): Promise<void> {
  const builtAt = await timeOf(join(siteFolder, "index.html"));
  const sourcesOf = async (folder: string) =>
    (await readdir(join(root, folder), { recursive: true })).map((name) => join(root, folder, name));
  const sources = await Promise.all(
    ["dashboard", "contract", "docs", "options", "programs", "publisher"].map(sourcesOf),
  );
  const times = await Promise.all(
    [...sources.flat(), join(root, "package-lock.json")].map(async (path) => (await stat(path)).mtimeMs),
  );
  if (times.some((time) => time >= builtAt)) await bundlePage();
}

async function html(metafile: Metafile): Promise<string> {
  const page = await readFile(join(root, "dashboard/index.html"), "utf8");
  return page
    .replace("{style}", outputOf(metafile, "programs/style.css"))
    .replace("{script}", outputOf(metafile, "programs/dashboard.ts"))
    .replace("{preloads}", preloads(metafile));
}

/**
 * The modules that the script imports at once are preloaded; otherwise the browser finds them only after it has loaded
 * the script.
 */
function preloads({ outputs }: Metafile): string {
  const needed = new Set([outputNameOf(outputs, "programs/dashboard.ts")]);
  for (const name of needed)
    for (const { path, kind } of outputs[name]?.imports ?? []) if (kind === "import-statement") needed.add(path);
  const [, ...chunks] = needed;
  return chunks.map((path) => `<link rel="modulepreload" href="/${served(path)}">`).join("\n    ");
}

function outputOf({ outputs }: Metafile, entryPoint: string): string {
  return served(outputNameOf(outputs, entryPoint));
}

function outputNameOf(outputs: Metafile["outputs"], entryPoint: string): string {
  const match = Object.entries(outputs).find(([, output]) => output.entryPoint === entryPoint);
  if (match === undefined) throw new Error(`esbuild wrote nothing for ${entryPoint}`);
  return match[0];
}

/** The path on the dashboard's host, without its slash. */
function served(output: string): string {
  return output.replace(`${siteFolder}/`, "").replace("build/dashboard/", "");
}

if (import.meta.main) await (process.argv.includes("--changed") ? buildChangedDashboard() : buildDashboard());
