import { globSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { expect, test } from "@jest/globals";
import { build } from "esbuild";

/* What `npm ci --omit=dev` installs is enough for the demo: docs/dependencies.md. */

/** Programs that people start with it, and what these programs bundle. */
const programs = [
  ...[
    "programs/demo.ts",
    "programs/local.ts",
    "local/try.ts",
    "local/id-token.ts",
    "cli/build.ts",
    "dashboard/build.ts",
  ],
  ...["programs/cli.ts", "programs/contract-check.ts", "programs/dashboard.ts"],
  ...[
    "dashboard/src/help-page.ts",
    "dashboard/src/publish/worker.ts",
    "edge/viewer-*.ts",
    "options/*/page/{export,main}.ts",
  ],
  ...["{functions,options/*}/{handlers,jobs,origin}/*.ts", "options/*/local/worker.ts"],
];

test("the service on one machine imports no package that only tests or deployments need", async () => {
  const files = programs.flatMap((pattern) => globSync(pattern)).filter((file) => !file.endsWith(".test.ts"));
  const { metafile } = await build({
    entryPoints: files,
    ...{ bundle: true, packages: "external", platform: "node", format: "esm", outdir: "unwritten", write: false },
    ...{ jsx: "automatic", jsxImportSource: "preact", metafile: true, logLevel: "error" },
    external: ["./dist/*"],
  });
  const imported = Object.values(metafile.inputs).flatMap(({ imports }) =>
    imports.filter(({ external, path }) => external && !path.startsWith(".") && !isBuiltin(path)),
  );
  const packages = new Set(imported.map(({ path }) => /^(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? path));
  const { dependencies } = JSON.parse(readFileSync("package.json", "utf8"));
  // CloudFront's own module.
  expect([...packages].filter((name) => !(name in dependencies) && name !== "cloudfront")).toEqual([]);
  expect(packages.size).toBeGreaterThan(20);
});
