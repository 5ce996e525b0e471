import { Duration, Fn, type Stack } from "aws-cdk-lib";
import { Stats } from "aws-cdk-lib/aws-cloudwatch";
import { viewerFunctionName, viewerFunctions } from "../bundles/viewer-functions.ts";
import { distributionOutput } from "../games/games-names.ts";
import { certificatesOf } from "../hosts/certificates.ts";
import { edgeRegion } from "../hosts/domains.ts";
import { dashboardOf, type Stage } from "../settings/stage.ts";
import { addOutput } from "../stacks/output.ts";
import { EdgeStack } from "../stacks/sibling-stack.ts";
import { type AlarmDefinition, cloudFrontMetric, sum } from "./alarm-definition.ts";
import { outsideAlarms } from "./health-checks.ts";
import { alarmPrefix } from "./monitoring-names.ts";
import { gamesBurnRate, objectiveAlarm } from "./objectives.ts";
import { createTopic, raiseAlarms } from "./raise-alarms.ts";

/*
 * CloudFront's metrics are in us-east-1 alone, and an alarm watches metrics of its own region. So a stage in another region has these
 * alarms in a stack of their own.
 */

/** CloudFront's list price of a gigabyte to the United States and Europe (docs/operations/games.md). */
const dollarsPerGigabyte = 0.085;

/** An hour's bytes of which a day costs what the stage may cost in a month. The budget itself is told a day late. */
function bytesAnHour({ monthlyBudgetDollars }: Pick<Stage, "monthlyBudgetDollars">): number {
  return Math.round((monthlyBudgetDollars / dollarsPerGigabyte / 24) * 1e9);
}

export function gamesAlarms(
  stage: Pick<Stage, "name" | "monthlyBudgetDollars">,
  distributionId: string,
): AlarmDefinition[] {
  const ofDistribution = (metricName: string, statistic: string = Stats.SUM) =>
    cloudFrontMetric(metricName, { DistributionId: distributionId }, statistic);
  const ofFunctions = viewerFunctions.flatMap((name) =>
    ["FunctionExecutionErrors", "FunctionValidationErrors", "FunctionThrottles"].map((metricName) =>
      cloudFrontMetric(metricName, { FunctionName: viewerFunctionName(stage.name, name) }),
    ),
  );
  const ofOrigin = ["LambdaExecutionError", "LambdaValidationError", "LambdaLimitExceededErrors"].map((metricName) =>
    ofDistribution(metricName),
  );
  return [
    objectiveAlarm(
      "GamesObjective",
      (window) => gamesBurnRate(distributionId, window),
      "So many requests of players get 5xx that the objective of 99.95 % in 30 days is missed if it goes on.",
    ),
    {
      name: "GamesFailing",
      metric: ofDistribution("5xxErrorRate", Stats.AVERAGE),
      threshold: 1,
      ofThree: 2,
      description: "At least one request of players in a hundred got 5xx.",
    },
    {
      name: "GamesFunctionsFailing",
      metric: sum(ofFunctions),
      description:
        "A viewer function of the games failed, was throttled, or gave CloudFront something that it refuses.",
    },
    // An alarm takes ten metrics at most.
    {
      name: "GamesOriginFailing",
      metric: sum(ofOrigin),
      description: "Lambda@Edge of the games failed, was throttled, or gave CloudFront something that it refuses.",
    },
    {
      name: "GamesTransfer",
      metric: ofDistribution("BytesDownloaded").with({ period: Duration.hours(1) }),
      threshold: bytesAnHour(stage),
      description: "Players got so much within an hour that a day of it costs the month's budget.",
    },
  ];
}

/** Whether a stage in another region has something that is watched in us-east-1. */
export function isWatchedAtEdge(stage: Stage): boolean {
  const { region, gamesDomain, healthChecks } = stage;
  return region !== edgeRegion && (gamesDomain ?? dashboardOf(stage)?.domain ?? healthChecks) !== undefined;
}

/**
 * Alarms in us-east-1 of a stage in another region: its games, the certificates of CloudFront, and what Route 53 checks.
 * It is deployed after the stage's own stack, which tells the id of the games' distribution.
 */
export class EdgeAlarmsStack extends EdgeStack {
  constructor(service: Stack, stage: Stage) {
    super(service, "alarms", `what of ${stage.name} is watched in ${edgeRegion}`);
    const distribution = stage.gamesDomain && Fn.getStackOutput(service.stackName, distributionOutput, stage.region);
    const games = distribution === undefined ? [] : gamesAlarms(stage, distribution);
    // By which a deployment knows that the distribution is another one now (infra/deploy.ts).
    if (distribution !== undefined)
      addOutput(this, distributionOutput, distribution, "The distribution that is watched");
    const definitions = [...games, ...outsideAlarms(this, stage, "alarms")];
    const topic = createTopic(this, { ...stage, region: edgeRegion }, certificatesOf(stage, "alarms"));
    raiseAlarms(this, { topic, definitions, prefix: alarmPrefix(stage) });
  }
}
