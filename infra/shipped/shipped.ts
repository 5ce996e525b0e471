import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The metafiles that the builds of the functions and of the command line write: they list what is shipped. */
const metafiles = { functions: "build/functions/meta.json", cli: "build/cli/meta.json" } as const;

export type Bundle = keyof typeof metafiles;

/** A package that has code in a bundle. */
export interface ShippedPackage {
  readonly name: string;
  readonly version: string;
  readonly license: string | undefined;
  /** As in the lock file: `sha512-…`. */
  readonly integrity: string | undefined;
  /** Whether the lock file has it as a development dependency. */
  readonly isForDevelopment: boolean;
}

interface Lock {
  readonly packages: Readonly<
    Record<string, { version?: string; license?: string; integrity?: string; dev?: boolean; devOptional?: boolean }>
  >;
}

/**
 * The packages in a bundle, by esbuild's metafile and not by package.json.
 *
 * @throws Error if the bundle has not been built
 */
export function shippedPackages(bundle: Bundle): ShippedPackage[] {
  const path = join(root, metafiles[bundle]);
  if (!existsSync(path))
    throw new Error(`${metafiles[bundle]} does not exist: run \`npm run build\` and \`npm run build -w cli\``);
  const { inputs } = JSON.parse(readFileSync(path, "utf8")) as { inputs: Record<string, unknown> };
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as Lock;
  const folders = new Set(Object.keys(inputs).flatMap((input) => packageFolder(input) ?? []));
  return [...folders].sort().map((folder) => {
    const entry = packages[folder];
    if (entry?.version === undefined) throw new Error(`${folder} is not in the lock file`);
    const { version, license, integrity, dev = false, devOptional = false } = entry;
    const name = folder.slice(folder.lastIndexOf("node_modules/") + "node_modules/".length);
    return { name, version, license, integrity, isForDevelopment: dev || devOptional };
  });
}

/** The package of a file, such as `node_modules/a/node_modules/@b/c`; undefined for our own files. */
function packageFolder(input: string): string | undefined {
  return /(?:^|[/:])(node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1];
}
