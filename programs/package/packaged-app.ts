import "../stack-options.ts";
import { App } from "aws-cdk-lib";
import cdk from "../../cdk.json" with { type: "json" };
import { packagedAssets } from "../../infra/packaging/assets.ts";
import { readConfiguredStage } from "../../infra/settings/configured-stages.ts";
import { ConfigurationError } from "../../infra/settings/stage.ts";
import { ServiceStack } from "../../infra/stacks/service-stack.ts";

/*
 * The program that `cdk` runs for `npx --no @svc-publish/cdk deploy`: the stacks of infra/stacks/cdk-app.ts with the package's bundles.
 */
try {
  const app = new App({ builtinCloudFormationValidation: false, context: cdk.context });
  const stage = readConfiguredStage(app.node.tryGetContext("stage"), app.node.tryGetContext("stages"));
  new ServiceStack(app, { stage, ...packagedAssets });
  app.synth();
} catch (error) {
  if (!(error instanceof ConfigurationError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
