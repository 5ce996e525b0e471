import "../stage-options.ts";
import { execFileSync } from "node:child_process";
import { copyFile, cp, mkdir, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { build } from "esbuild";
import { thirdPartyLicences } from "../../cli/third-party-licences.ts";
import { kebabCase, routes } from "../../contract/api/routes.ts";
import { buildChangedDashboard, siteFolder } from "../../dashboard/build.ts";
import { queued, schedules } from "../../infra/background/schedules.ts";
import { bundleChangedFunctions, bundleFolderOf } from "../../infra/bundle.ts";
import { viewerSources } from "../../infra/bundles/viewer-functions.ts";
import { root } from "../../infra/home.ts";

/*
 * Builds infra/dist, which `npm pack -w infra` packs: the construct Svc in one program beside the bundles of all functions, the dashboard
 * and its types, so that a stack is synthesised outside the repository (docs/operations/construct.md).
 */
const dist = join(root, "infra/dist");

await rm(dist, { recursive: true, force: true });
await bundleChangedFunctions();
await buildChangedDashboard();
const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: {
    index: "programs/package/construct.ts",
    command: "programs/package/command.ts",
    "packaged-app": "programs/package/packaged-app.ts",
  },
  outdir: join(dist, "infra"),
  outExtension: { ".js": ".mjs" },
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node22",
  // Peers, and the compilers of the games' edge.
  external: ["aws-cdk-lib", "constructs", "esbuild", "@swc/core"],
  mainFields: ["module", "main"],
  legalComments: "none",
  metafile: true,
});
for (const name of [...Object.keys(routes).map(kebabCase), ...schedules(), ...queued(), "games-origin"]) {
  await mkdir(join(dist, "functions", name), { recursive: true });
  await copyFile(join(bundleFolderOf(name), "index.mjs"), join(dist, "functions", name, "index.mjs"));
}
await cp(siteFolder, join(dist, "dashboard"), { recursive: true });
for (const path of [
  "hosts/dashboard-views.js",
  "deployment/execution-policy.json",
  "deployment/permissions-boundary.json",
])
  await copyFile(join(root, "infra", path), join(dist, "infra", basename(path)));
// Sources of the viewer functions, which are compiled for each games domain.
for (const path of viewerSources()) {
  await mkdir(dirname(join(dist, path)), { recursive: true });
  await copyFile(join(root, path), join(dist, path));
}
await copyFile(join(root, "LICENSE"), join(dist, "LICENSE"));
await writeFile(join(dist, "licences.txt"), await thirdPartyLicences(root, metafile));
execFileSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", join(root, "infra")], {
  stdio: "inherit",
});
