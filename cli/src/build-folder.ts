import * as fs from "node:fs";
import * as path from "node:path";

/*
 * The folder that a project's tool writes, from the tool's own files: what is published is the build, never the source beside it.
 */

/** A folder to publish, relative to the project's, with / between folders. */
export interface BuildFolder {
  readonly dir: string;
  /** What writes it; undefined if that is not known. */
  readonly writtenBy: string | undefined;
}

/** The folder with the build: one that is there, else the one that the tool will write, else the project's folder itself. */
export function buildFolderOf(directory: string): BuildFolder {
  const tool = toolOf(directory);
  const hasPage = (dir: string) => fs.existsSync(path.join(directory, dir, "index.html"));
  // Beside a tool, public has what the tool copies.
  const usual = tool === undefined ? ["dist", "build", "public"] : [tool.dir, ...tool.others, "dist", "build"];
  const built = usual.find(hasPage);
  return { dir: built ?? tool?.dir ?? ".", writtenBy: tool?.writtenBy };
}

interface Tool extends BuildFolder {
  /** Other folders that people have it write. */
  readonly others: readonly string[];
}

function toolOf(directory: string): Tool | undefined {
  const read = (name: string) => textOf(path.join(directory, name));
  if (fs.existsSync(path.join(directory, "project.godot")))
    return { dir: godotFolder(read("export_presets.cfg")), others: [], writtenBy: "Project > Export > Web in Godot" };
  if (fs.existsSync(path.join(directory, "ProjectSettings", "ProjectVersion.txt"))) {
    const others = ["Builds", "WebGL", "Build/WebGL", "Builds/WebGL", "Build/Web", "Builds/Web", "build/web"];
    return { dir: "Build", others, writtenBy: "File > Build Profiles > Web in Unity" };
  }
  const dir = bundlerFolder(read);
  return dir === undefined ? undefined : { dir, others: [], writtenBy: "npm run build" };
}

/** Export presets are sections with `platform="Web"` and `export_path="build/web/index.html"` (Godot 4). */
function godotFolder(presets: string): string {
  const web = presets.split(/^\[preset\.\d+\]$/m).find((preset) => /^platform="(?:Web|HTML5)"$/m.test(preset)) ?? "";
  const [, exported = ""] = /^export_path="([^"]+)"$/m.exec(web) ?? [];
  const dir = path.posix.dirname(path.posix.normalize(exported || "build/web/index.html"));
  return path.posix.isAbsolute(dir) || dir.startsWith("..") ? "build/web" : dir;
}

/** By the package that builds; the first that is there decides. */
const bundlers: readonly (readonly [name: string, dir: string])[] = [
  ["react-scripts", "build"],
  ["@sveltejs/kit", "build"],
  ["next", "out"],
  ["vite", "dist"],
  ["webpack", "dist"],
  ["parcel", "dist"],
  ["rollup", "dist"],
  ["esbuild", "dist"],
];
const viteConfigurations = ["ts", "js", "mts", "mjs"].map((end) => `vite.config.${end}`);

function bundlerFolder(read: (name: string) => string): string | undefined {
  const { dependencies, devDependencies } = packageOf(read("package.json"));
  const packages = { ...dependencies, ...devDependencies };
  const [name, dir] = bundlers.find(([bundler]) => Object.hasOwn(packages, bundler)) ?? [];
  if (name !== "vite") return dir;
  const [, chosen] = /\boutDir\s*:\s*["'`]([\w./-]+)["'`]/.exec(viteConfigurations.map(read).join("\n")) ?? [];
  const outDir = chosen === undefined ? undefined : path.posix.normalize(chosen).replace(/\/$/, "");
  return outDir === undefined || outDir.startsWith("..") || path.posix.isAbsolute(outDir) ? dir : outDir;
}

function packageOf(text: string): { readonly dependencies?: object; readonly devDependencies?: object } {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}

/** Empty if it cannot be read: then nothing follows from it. */
function textOf(file: string): string {
  try {
    return fs.readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
