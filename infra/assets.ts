import { fileURLToPath } from "node:url";
import { kebabCase } from "../contract/api/routes.ts";

/** What is built before a stack can be synthesised. */
export interface Assets {
  /** Where the bundle of a function is, by the name of its route or job. */
  readonly code: (name: string) => string;
  /** Where the built dashboard is. */
  readonly dashboard: string;
}

const inPackage = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** Those of the package, whose program is in a folder beside them (infra/build-package.ts). */
export const packagedAssets: Assets = {
  code: (name) => inPackage(`functions/${kebabCase(name)}`),
  dashboard: inPackage("dashboard"),
};
