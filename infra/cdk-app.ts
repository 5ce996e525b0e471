import { existsSync } from "node:fs";
import { App, Validations } from "aws-cdk-lib";
import { AwsSolutionsChecks } from "cdk-nag";
import { kebabCase } from "../contract/routes.ts";
import { buildDashboard, siteFolder } from "../dashboard/build.ts";
import { ApiEdgeStack } from "./api-edge-stack.ts";
import { bundleFolderOf, bundleFunctions } from "./bundle.ts";
import { GamesOriginStack } from "./games-origin-stack.ts";
import { PipelineStack } from "./pipeline-stack.ts";
import { type BundleName, ServiceStack } from "./service-stack.ts";
import { ConfigurationError, hasApiEdge, readStage } from "./stage.ts";
import { stages } from "./stages.ts";

/**
 * Synthesises the stack of `cdk -c stage=NAME`: the service, with `-c stack=pipeline` the roles with which GitHub deploys
 * it, with `-c stack=games` the Lambda@Edge of its games, or with `-c stack=edge` the distribution before its API, which are deployed
 * before it. Needs neither an AWS account nor the network. The tests check CloudFormation's own rules for every stage; here they
 * would double the time of a synth. A mistake in the configuration is printed as one sentence, with exit code 1.
 */
export async function synthesiseApp(): Promise<void> {
  try {
    const app = new App({ builtinCloudFormationValidation: false });
    const stage = readStage(app.node.tryGetContext("stage"), stages);
    const stack: unknown = app.node.tryGetContext("stack");
    if (stack === "pipeline") {
      new PipelineStack(app, stage);
    } else if (stack === "edge") {
      if (!hasApiEdge(stage))
        throw new ConfigurationError(
          `Stage "${stage.name}" in infra/stages.ts has no apiEdge: it needs no stack before its API.`,
        );
      new ApiEdgeStack(app, stage);
    } else if (stack === "games") {
      if (!stage.gamesDomains)
        throw new ConfigurationError(
          `Stage "${stage.name}" in infra/stages.ts has no gamesDomains: it needs no stack of games.`,
        );
      await bundleFunctions();
      new GamesOriginStack(app, { stage, code: bundleOf("games-origin") });
    } else {
      // One after the other: each ends esbuild's process.
      await bundleFunctions();
      if (stage.dashboard) await buildDashboard();
      new ServiceStack(app, { stage, code: bundleOf, dashboard: siteFolder });
    }
    Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
    app.synth();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}

function bundleOf(route: BundleName): string {
  const folder = bundleFolderOf(kebabCase(route));
  if (existsSync(folder)) return folder;
  throw new ConfigurationError(
    `The contract has the route ${route}, but there is no functions/handlers/${kebabCase(route)}.ts.`,
  );
}
