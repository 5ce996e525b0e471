import { Duration } from "aws-cdk-lib";
import { type IMetric, MathExpression, type Metric } from "aws-cdk-lib/aws-cloudwatch";
import type { IFunction } from "aws-cdk-lib/aws-lambda";

/** One alarm: a metric over five minutes, and the value from which it goes off. */
export interface AlarmDefinition {
  readonly name: string;
  /** Its row in docs/operations/looking.md, where that is not its name. */
  readonly row?: string;
  readonly metric: IMetric;
  readonly threshold: number;
  /** How many of the last three periods must reach the threshold; one period is enough when left out. */
  readonly ofThree?: number;
  /** Set: a period without a value counts too. */
  readonly isMissingBad?: true;
  readonly description: string;
}

export const period = Duration.minutes(5);

export function sum(metrics: readonly Metric[]): MathExpression {
  const usingMetrics = Object.fromEntries(metrics.map((metric, index) => [`m${index}`, metric]));
  return new MathExpression({ expression: `SUM([${Object.keys(usingMetrics).join(", ")}])`, usingMetrics, period });
}

/** A function on a schedule that has not run in any of three periods: its rule is disabled, or its events are dropped. */
export function noRun({
  lambda,
  period,
  ...alarm
}: Pick<AlarmDefinition, "name" | "description"> & { lambda: IFunction; period: Duration }): AlarmDefinition {
  const metric = new MathExpression({
    expression: "IF(runs >= 1, 0, 1)",
    usingMetrics: { runs: lambda.metricInvocations({ period }) },
    period,
    label: `no run in ${period.toHumanString()}`,
  });
  return { ...alarm, metric, threshold: 1, ofThree: 3, isMissingBad: true };
}
