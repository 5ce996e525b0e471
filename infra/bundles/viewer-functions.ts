import { transformSync as transformWithSwc } from "@swc/core";
import { type BuildOptions, buildSync, type TransformOptions, transformSync } from "esbuild";
import { root } from "../home.ts";

/** The functions that CloudFront itself runs for the games: edge/viewer-request.ts, edge/viewer-own.ts, edge/viewer-response.ts. */
export const viewerFunctions = ["viewer-request", "viewer-own", "viewer-response"] as const;
export type ViewerFunction = (typeof viewerFunctions)[number];

/** The name of a stage's viewer function. */
export function viewerFunctionName(stageName: string, name: ViewerFunction): string {
  return `svc-${stageName}-games-${name}`;
}

/**
 * The syntax of CloudFront's runtime beside ECMAScript 5.1: "JavaScript runtime 2.0 features for CloudFront Functions",
 * https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/functions-javascript-runtime-20.html (read November 2026).
 */
export const runtimeSyntax = {
  target: "es5",
  supported: {
    ...{ arrow: true, "const-and-let": true, "template-literal": true, "exponent-operator": true },
    ...{ "async-await": true, "regexp-named-capture-groups": true },
  },
} as const satisfies TransformOptions;

/** The constants of a stage's viewer functions. */
export interface ViewerSettings {
  readonly gamesDomain: string;
  /** URL for reporting games; empty if the stage has none. */
  readonly reportUrl: string;
  /** The paths of the pages of its options. */
  readonly optionPages: readonly string[];
  /** Headers that its options, by their names, add to each page that a person opens. */
  readonly documentHeaders: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Those of them that are there while nothing of the game is live; none by default. */
  readonly offlinePages?: readonly string[];
}

/**
 * The code of a viewer function of a stage. esbuild bundles; swc lowers what esbuild does not lower to that target, such as
 * destructuring, and makes it small; esbuild refuses what the runtime has not.
 *
 * @throws Error if the code does not export one handler
 */
export function viewerFunctionCode(
  name: ViewerFunction,
  { gamesDomain, reportUrl, optionPages, offlinePages = [], documentHeaders }: ViewerSettings,
): string {
  const { outputFiles } = buildSync({
    ...bundled([name]),
    supported: { "optional-chain": false, "nullish-coalescing": false, "optional-catch-binding": false },
    define: {
      GAMES_DOMAIN: JSON.stringify(gamesDomain),
      REPORT_URL: JSON.stringify(reportUrl),
      OPTION_PAGES: JSON.stringify(optionPages),
      DOCUMENT_HEADERS: JSON.stringify(documentHeaders),
      OFFLINE_PAGES: JSON.stringify(name === "viewer-own" && offlinePages.length > 0 && offlinePages),
    },
  });
  const lowered = transformWithSwc(outputFiles[0]?.text ?? "", {
    isModule: true,
    jsc: { assumptions: plainObjects, minify: { compress: smallest, mangle: { toplevel: true }, module: true } },
    env: { targets: { chrome: "60" }, include: loweredBySwc, loose: true },
  });
  const { code } = transformSync(lowered.code, {
    ...runtimeSyntax,
    minify: true,
    format: "esm",
    legalComments: "none",
  });
  return withHandler(code);
}

function bundled(names: readonly ViewerFunction[]): BuildOptions & { readonly write: false } {
  return {
    absWorkingDir: root,
    entryPoints: names.map((name) => `edge/${name}.ts`),
    bundle: true,
    format: "esm",
    platform: "neutral",
    external: ["cloudfront"],
    target: "es2022",
    // Drops tables that nothing uses.
    minifySyntax: true,
    write: false,
  };
}

/** The files of the repository that the viewer functions are made of. */
export function viewerSources(): string[] {
  const { metafile } = buildSync({ ...bundled(viewerFunctions), outdir: "build", metafile: true });
  return Object.keys(metafile?.inputs ?? {});
}

const loweredBySwc = [
  "transform-destructuring",
  "transform-for-of",
  "transform-object-rest-spread",
  "transform-parameters",
  "transform-shorthand-properties",
  "transform-spread",
];

/** Assumptions about objects and lists that hold for edge/, so that the code needs no long helpers. */
const plainObjects = {
  arrayLikeIsIterable: true,
  ignoreFunctionLength: true,
  iterableIsArray: true,
  objectRestNoSymbols: true,
  pureGetters: true,
  setSpreadProperties: true,
};

/** Code that runs once is written where it runs: that takes less room, and no more of the function's millisecond. */
const smallest = { ecma: 5, passes: 3, toplevel: true, module: true, pure_getters: true, arrows: false } as const;

/** CloudFront calls a function of this name, its modules export nothing, and the import is to be at the beginning. */
function withHandler(code: string): string {
  const [, head, imported, body, handler] =
    /^(.*?)(import [\w$]+ from"cloudfront";)(.*)export\{([\w$]+) as handler\};\s*$/s.exec(code) ?? [];
  if (handler === undefined) throw new Error("A viewer function must import the store and export its handler alone");
  return `${imported}\n${head}${body}function handler(event){return ${handler}(event)}\n`;
}
