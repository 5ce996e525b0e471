import { CfnParameter, Stack } from "aws-cdk-lib";
import { Stats } from "aws-cdk-lib/aws-cloudwatch";
import type { Construct } from "constructs";
import { type AlarmDefinition, cloudFrontMetric, sum } from "./alarm-definition.ts";
import { edgeRegion } from "./domains.ts";
import { numberOf } from "./numbers.ts";
import { raiseAlarms } from "./raise-alarms.ts";
import type { Stage } from "./stage.ts";
import { viewerFunctionName, viewerFunctions } from "./viewer-functions.ts";

/*
 * CloudFront's metrics are in us-east-1 alone, and an alarm watches metrics of its own region. So a stage in another region has these
 * alarms in a stack of their own.
 */

/** Where the games below one domain of a stage play. */
export interface WatchedEdge {
  readonly stage: Pick<Stage, "name">;
  /** Tells its names from those of the stage's other games domains: "", "2", … */
  readonly number: string;
  readonly distributionId: string;
}

export function gamesAlarms({ stage, number, distributionId }: WatchedEdge): AlarmDefinition[] {
  const ofDistribution = (metricName: string, statistic: string = Stats.SUM) =>
    cloudFrontMetric(metricName, { DistributionId: distributionId }, statistic);
  const ofFunctions = viewerFunctions.flatMap((name) =>
    ["FunctionExecutionErrors", "FunctionValidationErrors", "FunctionThrottles"].map((metricName) =>
      cloudFrontMetric(metricName, { FunctionName: viewerFunctionName(stage.name, number, name) }),
    ),
  );
  const ofOrigin = ["LambdaExecutionError", "LambdaValidationError", "LambdaLimitExceededErrors"].map((metricName) =>
    ofDistribution(metricName),
  );
  return [
    {
      name: `GamesFailing${number}`,
      row: "GamesFailing",
      metric: ofDistribution("5xxErrorRate", Stats.AVERAGE),
      threshold: 1,
      ofThree: 2,
      description: "At least one request of players in a hundred got 5xx.",
    },
    {
      name: `GamesFunctionsFailing${number}`,
      row: "GamesFunctionsFailing",
      metric: sum([...ofFunctions, ...ofOrigin]),
      threshold: 1,
      description: "A function at the games' edge failed, was throttled, or gave CloudFront something that it refuses.",
    },
  ];
}

/**
 * The alarms of the games of a stage in another region, deployed after the stage's own stack: each parameter has the name and value of
 * an output of that one.
 */
export class GamesAlarmsStack extends Stack {
  constructor(scope: Construct, stage: Stage) {
    super(scope, `svc-${stage.name}-games-alarms`, {
      env: { account: stage.account, region: edgeRegion },
      description: `svc, the publishing service: alarms of the games of ${stage.name}`,
    });
    const numbers = (stage.gamesDomains ?? []).map((_, index) => numberOf(index));
    const edges = numbers.map((number) => {
      const id = new CfnParameter(this, distributionOutput(number), { allowedPattern: "^E[A-Z0-9]+$" });
      return { stage, number, distributionId: id.valueAsString };
    });
    raiseAlarms(this, { ...stage, region: edgeRegion }, edges.flatMap(gamesAlarms));
  }
}

/** What the stage's stack tells of the distribution of a games domain. */
export function distributionOutput(number: string): string {
  return `GamesDistributionId${number}`;
}
