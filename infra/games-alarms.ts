import { Metric, Stats } from "aws-cdk-lib/aws-cloudwatch";
import { type AlarmDefinition, period, sum } from "./alarm-definition.ts";
import type { GamesEdge } from "./games-edge.ts";
import { edgeRegion } from "./games-origin-stack.ts";
import type { Stage } from "./stage.ts";

/**
 * The alarms of the games' edge. CloudFront's metrics are in us-east-1 alone, and an alarm only watches metrics of its own
 * region, so a stage in another region has none of these.
 */
export function gamesAlarms(edges: readonly GamesEdge[], { region }: Stage): AlarmDefinition[] {
  return region === edgeRegion ? edges.flatMap(alarmsOf) : [];
}

function alarmsOf({ distribution, functions, number }: GamesEdge): AlarmDefinition[] {
  const ofFunctions = functions.flatMap(({ functionName }) =>
    ["FunctionExecutionErrors", "FunctionValidationErrors", "FunctionThrottles"].map(
      (metricName) =>
        new Metric({
          namespace: "AWS/CloudFront",
          metricName,
          dimensionsMap: { FunctionName: functionName, Region: "Global" },
          statistic: Stats.SUM,
          period,
        }),
    ),
  );
  const ofOrigin = ["LambdaExecutionError", "LambdaValidationError", "LambdaLimitExceededErrors"].map((metricName) =>
    distribution.metric(metricName, { statistic: Stats.SUM, period }),
  );
  return [
    {
      name: `GamesFailing${number}`,
      row: "GamesFailing",
      metric: distribution.metric5xxErrorRate({ period, statistic: Stats.AVERAGE }),
      threshold: 1,
      ofThree: 2,
      description: "At least one request of players in a hundred was answered with 5xx.",
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
