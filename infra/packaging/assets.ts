import { join } from "node:path";
import { kebabCase } from "../../contract/api/routes.ts";
import { root } from "../home.ts";

/** Bundles that are built before a stack can be synthesised. */
export interface Assets {
  /** Path of a function's bundle, by the name of its route or job. */
  readonly code: (name: string) => string;
  /** Folder of the built dashboard. */
  readonly dashboard: string;
}

const inPackage = (path: string) => join(root, path);

/** Those of the package, whose program is in a folder beside them (programs/package/build.ts). */
export const packagedAssets: Assets = {
  code: (name) => inPackage(`functions/${kebabCase(name)}`),
  dashboard: inPackage("dashboard"),
};
