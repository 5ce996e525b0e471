import { globSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { build, type Metafile } from "esbuild";

const root = join(import.meta.dirname, "../..");

export interface PageScripts {
  /** Each as the text of an inline script, by the name of its option. */
  readonly scripts: Readonly<Record<string, string>>;
  /** The files that they are made of, by their paths from the repository's root. */
  readonly inputs: Metafile["inputs"];
}

/**
 * Bundles the programs of the pages of options that are in a file of this name of their folder `page/`, for every browser that can play.
 *
 * @throws BuildFailure of esbuild, which has already printed what is wrong
 */
export async function bundlePageScripts(file: string): Promise<PageScripts> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: globSync(`options/*/page/${file}`, { cwd: root }).toSorted(),
    outdir: join(root, "build"),
    outbase: "options",
    bundle: true,
    format: "esm",
    platform: "browser",
    target: ["es2022", "chrome123", "firefox125", "safari17.5"],
    minify: true,
    legalComments: "none",
    metafile: true,
    write: false,
  });
  const scripts = outputFiles.map(({ path, text }) => {
    const option = basename(dirname(dirname(path)));
    // In a page, this would end the script.
    return [option, text.trim().replaceAll("</script", "<\\/script")] as const;
  });
  return { scripts: Object.fromEntries(scripts), inputs: metafile.inputs };
}
