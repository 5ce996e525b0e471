import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Metafile } from "esbuild";

/**
 * The licence texts of all packages in a bundle. The licences require that every copy contains them.
 *
 * @param root the directory that the metafile's paths are relative to
 */
export async function thirdPartyLicences(root: string, { inputs }: Metafile): Promise<string> {
  const folders = new Set(
    Object.keys(inputs).flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []),
  );
  const texts = await Promise.all([...folders].sort().map((folder) => licenceOf(join(root, folder))));
  return `svc contains these packages.\n\n${texts.join("\n\n")}\n`;
}

async function licenceOf(folder: string): Promise<string> {
  const { name, version, license } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file === undefined ? "" : (await readFile(join(folder, file), "utf8")).trim();
  return `--- ${name} ${version} (${license})\n\n${text}`.trim();
}
