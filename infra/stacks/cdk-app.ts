import { existsSync } from "node:fs";
import { App, Validations } from "aws-cdk-lib";
import { AwsSolutionsChecks } from "cdk-nag";
import { kebabCase } from "../../contract/api/routes.ts";
import { buildDashboard, siteFolder } from "../../dashboard/build.ts";
import { bundleChangedFunctions, bundleFolderOf } from "../bundle.ts";
import { readConfiguredStage } from "../settings/configured-stages.ts";
import { ConfigurationError, dashboardOf, type Stage } from "../settings/stage.ts";
import { PipelineStack } from "./pipeline-stack.ts";
import { ServiceStack } from "./service-stack.ts";

/**
 * Synthesises the stacks of `cdk -c stage=NAME`, or with `-c pipeline=true` the one with the roles with which GitHub deploys them.
 * Needs neither an AWS account nor the network. The tests check CloudFormation's own rules for every stage; here they would double
 * the time of a synth. A mistake in the configuration is printed as one sentence, with exit code 1.
 */
export async function synthesiseApp(): Promise<void> {
  try {
    const app = new App({ builtinCloudFormationValidation: false });
    const stage = readConfiguredStage(app.node.tryGetContext("stage"), app.node.tryGetContext("stages"));
    if (app.node.tryGetContext("pipeline")) new PipelineStack(app, stage);
    else await addStacks(app, stage);
    Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
    app.synth();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}

async function addStacks(app: App, stage: Stage): Promise<void> {
  await bundleChangedFunctions();
  // One after the other: each ends esbuild's process.
  if (dashboardOf(stage)) await buildDashboard();
  new ServiceStack(app, { stage, code: bundleOf, dashboard: siteFolder });
}

function bundleOf(route: string): string {
  const folder = bundleFolderOf(kebabCase(route));
  if (existsSync(folder)) return folder;
  throw new ConfigurationError(
    `The contract has the route ${route}, but there is no functions/handlers/${kebabCase(route)}.ts.`,
  );
}
