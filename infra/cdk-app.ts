import { existsSync } from "node:fs";
import { App, Validations } from "aws-cdk-lib";
import { AwsSolutionsChecks } from "cdk-nag";
import { kebabCase, type RouteName } from "../contract/routes.ts";
import { buildDashboard, siteFolder } from "../dashboard/build.ts";
import { bundleFolderOf, bundleFunctions } from "./bundle.ts";
import { PipelineStack } from "./pipeline-stack.ts";
import type { ScheduleName } from "./scheduled-function.ts";
import { ServiceStack } from "./service-stack.ts";
import { ConfigurationError, readStage } from "./stage.ts";
import { stages } from "./stages.ts";

/**
 * Writes the stack that `cdk -c stage=NAME` asks for: the service, or with `-c stack=pipeline` what GitHub needs to deploy
 * it. Needs neither an AWS account nor the network. CloudFormation's own rules run in the tests, for every stage; here they
 * would double the time of each synth. A mistake in the configuration is printed as one sentence, with exit code 1.
 */
export async function synthesiseApp(): Promise<void> {
  try {
    const app = new App({ builtinCloudFormationValidation: false });
    const stage = readStage(app.node.tryGetContext("stage"), stages);
    if (app.node.tryGetContext("stack") === "pipeline") {
      new PipelineStack(app, stage);
    } else {
      // One after the other: each ends the process that esbuild works in.
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

function bundleOf(route: RouteName | ScheduleName): string {
  const folder = bundleFolderOf(kebabCase(route));
  if (existsSync(folder)) return folder;
  throw new ConfigurationError(
    `The contract has the route ${route}, but there is no functions/handlers/${kebabCase(route)}.ts.`,
  );
}
