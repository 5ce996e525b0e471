import { readFile } from "node:fs/promises";
import type { Metafile, Plugin, PluginBuild } from "esbuild";

/**
 * The SDK's chain of credential providers is a third of its code; a function's credentials are in its environment
 * (docs/decisions/0012-one-bundle-for-the-command-line.md#bundles-without-undici-and-without-the-credential-chain).
 */
const credentialChain = "@aws-sdk/credential-provider-node";
const environmentCredentials = "functions/table/environment-credentials.ts";

/** Loaded by operations that stream events; DynamoDB has none. */
const eventStreams = "@smithy/core/event-streams";

/** A client reads only the version of its package.json. */
const clientPackage = /@aws-sdk\/client-[a-z0-9-]+\/package\.json$/;

/**
 * Removes parts of the SDK that no function uses from the bundles. Each part must be found at least once, so that the build
 * fails when a new version of the SDK has other parts.
 */
export const leanSdk: Plugin = {
  name: "lean-sdk",
  setup(build) {
    removeParts(build);
    build.onEnd(({ metafile }) => ({
      errors: partsNotMet(metafile).map((part) => ({
        text: `${part} is left out of no bundle: see infra/bundles/lean-sdk.ts`,
      })),
    }));
  },
};

/** The same for the bundle of one function, which may have none of these parts. */
export const leanSdkOfOne: Plugin = { name: "lean-sdk-of-one", setup: removeParts };

function removeParts({ initialOptions, onLoad }: PluginBuild): void {
  initialOptions.alias = { [credentialChain]: `./${environmentCredentials}` };
  initialOptions.external = [eventStreams];
  onLoad({ filter: clientPackage }, async ({ path }) => {
    const { version } = JSON.parse(await readFile(path, "utf8"));
    return { contents: JSON.stringify({ version }), loader: "json" };
  });
}

/** The parts that `leanSdk` did not find. */
function partsNotMet(metafile: Metafile | undefined): string[] {
  const inputs = Object.entries(metafile?.inputs ?? {});
  const imports = inputs.flatMap(([, { imports }]) => imports);
  const isMet = {
    [credentialChain]: imports.some(
      ({ path, original }) => path === environmentCredentials && original === credentialChain,
    ),
    [eventStreams]: imports.some(
      ({ path, external, kind }) => path === eventStreams && external && kind === "dynamic-import",
    ),
    "package.json of an AWS client": inputs.some(([path, { bytes }]) => clientPackage.test(path) && bytes < 100),
  };
  return Object.entries(isMet).flatMap(([part, met]) => (met ? [] : [part]));
}
