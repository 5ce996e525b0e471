import { fileURLToPath } from "node:url";

/*
 * Folder in which a command runs: the repository, or with the package (programs/package/build.ts) the folder of whoever runs it.
 */

const isPackage = !import.meta.url.endsWith(".ts");

/** The folder of the sources that are compiled for a stage: the repository, or the package's `dist`. */
export const root = fileURLToPath(new URL("..", import.meta.url));

/** The folder of the operator's files. */
export const home = isPackage ? process.cwd() : root;

/** The folder of assemblies that the deploy command makes. */
export const assemblies = isPackage ? "cdk.out" : "build/deploy";

/** The arguments of `cdk` that stand in cdk.json in the repository. */
export const appArguments: readonly string[] = isPackage
  ? ["--app", `node "${fileURLToPath(new URL("packaged-app.mjs", import.meta.url))}"`, "--no-version-reporting"]
  : [];

/** Command lines for a person. */
export const commands = isPackage
  ? { deploy: "npx --no @svc-publish/cdk deploy", operator: "npx --no @svc-publish/cdk operator" }
  : { deploy: "npm run deploy --", operator: "npm run --silent operator --" };

/** Sentence of Node's parseArgs about a wrong option, without its advice about arguments that begin with a dash. */
export function wrongOption(error: unknown): string {
  return (error as Error).message.replace(/\. To specify .*/s, ".");
}
