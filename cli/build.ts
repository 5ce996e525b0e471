import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build, type Plugin } from "esbuild";
import { thirdPartyLicences } from "./third-party-licences.ts";

const here = import.meta.dirname;
const root = join(here, "..");

/**
 * Bundles the command line into dist/: main.cjs with everything in it, oclif too, so that the package has no
 * dependencies and starting it reads one file; hash-worker.cjs, its second thread. svc.cjs beside it starts it.
 *
 * CommonJS because that is what node starts fastest, and because importing node:http from an ES module loads undici.
 */
async function buildCli(): Promise<void> {
  const { metafile, outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: { main: join(here, "src/main.ts"), "hash-worker": join(here, "src/publish/hash-worker.ts") },
    outdir: join(here, "dist"),
    outExtension: { ".js": ".cjs" },
    bundle: true,
    platform: "node",
    target: "node20.15",
    format: "cjs",
    // Names and line breaks stay: the stack that DEBUG=1 shows is for reading.
    minifySyntax: true,
    legalComments: "none",
    // import("node:http") would start the ES module loader and read every export, undici with them; require does neither.
    supported: { "dynamic-import": false },
    define: { "import.meta.dirname": "__dirname" },
    plugins: [lazyOclif, notNeeded],
    metafile: true,
    write: false,
  });
  await mkdir(join(here, "dist"), { recursive: true });
  await Promise.all(outputFiles.map(({ path, text }) => writeFile(path, escapeNonAscii(text))));
  await writeFile(join(here, "dist/licences.txt"), await thirdPartyLicences(root, metafile));
  // What the bundle is made of, for the bill of materials; not beside it, where it would be shipped.
  await mkdir(join(root, "build/cli"), { recursive: true });
  await writeFile(join(root, "build/cli/meta.json"), JSON.stringify(metafile));
}

/**
 * A source of ASCII alone is read in a third of the time that one such character in it costs. esbuild escapes those of
 * strings; what it leaves stands in regular expressions, where the same escape means the same.
 */
function escapeNonAscii(source: string): string {
  return source.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/**
 * Makes oclif load its modules when they are first used, not when it is loaded: `const help_1 = require("./help")` and
 * its uses `help_1.x` become a getter. Half of oclif (help, plugins, spinners) is not needed to run a command.
 */
const lazyOclif: Plugin = {
  name: "lazy-oclif",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]@oclif[\\/]core[\\/]lib[\\/].*\.js$/ }, async ({ path }) => {
      const lazy = new Map<string, string>();
      const source = (await readFile(path, "utf8")).replace(
        /^(?:const|var) (\w+) = ((?:__importDefault|__importStar)?\(?require\("[^"]+"\)\)?);$/gm,
        (_, name: string, load: string) => {
          lazy.set(name, load);
          return "";
        },
      );
      const names = [...lazy.keys()].join("|");
      const getters = [...lazy].map(([name, load]) => `get ${name}() { return this.$${name} ??= ${load}; }`);
      const uses =
        names === "" ? source : source.replace(new RegExp(`(?<![\\w.$])(?:${names})(?=[.[])`, "g"), "$lazy.$&");
      return { contents: `const $lazy = { ${getters.join(", ")} };\n${uses}`, loader: "js" };
    });
  },
};

/** Modules that oclif names and this program never reaches, with what stands in for them. */
const standIns: Record<string, string> = {
  // DEBUG=* would make oclif print the whole command line.
  debug: "module.exports = () => Object.assign(() => {}, { enabled: false });",
  // It looks up home directory and shell, which nothing here uses, and fails under a user id that the system does not know.
  "../util/os":
    "module.exports = { getHomeDir: () => '', getPlatform: async () => process.platform, getShell: async () => '' };",
  // For a spinner that no command shows: a tenth of the bundle.
  "cli-spinners": "",
  // For finding plugins and their TypeScript sources; all commands are in the bundle.
  lilconfig: "",
  minimatch: "",
  pnpapi: "",
  semver: "",
  tinyglobby: "",
  typescript: "",
};

const notNeeded: Plugin = {
  name: "not-needed",
  setup({ onLoad, onResolve }) {
    const filter = new RegExp(`^(?:${Object.keys(standIns).join("|")})$`);
    onResolve({ filter }, ({ path }) => ({ path, namespace: "stand-in" }));
    onLoad({ filter: /.*/, namespace: "stand-in" }, ({ path }) => ({ contents: standIns[path] ?? "" }));
  },
};

await buildCli();
