import { existsSync } from "node:fs";
import { App, Validations } from "aws-cdk-lib";
import { AwsSolutionsChecks } from "cdk-nag";
import { kebabCase } from "../contract/api/routes.ts";
import { buildDashboard, siteFolder } from "../dashboard/build.ts";
import { ApiEdgeStack } from "./api-edge-stack.ts";
import { bundleFolderOf, bundleFunctions } from "./bundle.ts";
import { readConfiguredStage } from "./configured-stages.ts";
import { edgeRegion } from "./domains.ts";
import { GamesAlarmsStack } from "./games-alarms.ts";
import { GamesOriginStack } from "./games-origin-stack.ts";
import { PipelineStack } from "./pipeline-stack.ts";
import { type BundleName, ServiceStack } from "./service-stack.ts";
import { ConfigurationError, hasApiEdge, type Stage } from "./stage.ts";

/**
 * Synthesises the stack of `cdk -c stage=NAME`: the service, with `-c stack=pipeline` the roles with which GitHub deploys
 * it, with `-c stack=games` the Lambda@Edge of its games, or with `-c stack=edge` the distribution before its API, which are deployed
 * before it, or with `-c stack=games-alarms` the alarms of the games of a stage that is not in us-east-1, after it. Needs neither an AWS account nor the network. The tests check CloudFormation's own rules for every stage; here they
 * would double the time of a synth. A mistake in the configuration is printed as one sentence, with exit code 1.
 */
export async function synthesiseApp(): Promise<void> {
  try {
    const app = new App({ builtinCloudFormationValidation: false });
    const stage = readConfiguredStage(app.node.tryGetContext("stage"), app.node.tryGetContext("stages"));
    await createStack(app, stage, app.node.tryGetContext("stack"));
    Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
    app.synth();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}

async function createStack(app: App, stage: Stage, asked: unknown): Promise<void> {
  const refused = (reason: string) => new ConfigurationError(`Stage "${stage.name}" ${reason}.`);
  if (asked === "pipeline") return void new PipelineStack(app, stage);
  if (asked === "edge") {
    if (!hasApiEdge(stage)) throw refused("has no apiEdge: it needs no stack before its API");
    return void new ApiEdgeStack(app, stage);
  }
  if (asked === "games" || asked === "games-alarms") {
    if (!stage.gamesDomain) throw refused("has no gamesDomain: it needs no stack of games");
    if (asked === "games-alarms") {
      if (stage.region === edgeRegion) throw refused(`is in ${edgeRegion}: its own stack has the alarms of its games`);
      return void new GamesAlarmsStack(app, stage);
    }
  }
  await bundleFunctions();
  if (asked === "games") return void new GamesOriginStack(app, { stage, code: bundleOf("games-origin") });
  // One after the other: each ends esbuild's process.
  if (stage.dashboard) await buildDashboard();
  new ServiceStack(app, { stage, code: bundleOf, dashboard: siteFolder });
}

function bundleOf(route: BundleName): string {
  const folder = bundleFolderOf(kebabCase(route));
  if (existsSync(folder)) return folder;
  throw new ConfigurationError(
    `The contract has the route ${route}, but there is no functions/handlers/${kebabCase(route)}.ts.`,
  );
}
