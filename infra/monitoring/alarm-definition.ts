import { Duration } from "aws-cdk-lib";
import { type IMetric, MathExpression, Metric, Stats } from "aws-cdk-lib/aws-cloudwatch";
import type { IFunction } from "aws-cdk-lib/aws-lambda";

/** One alarm: a metric over five minutes, and when it goes off. */
export interface AlarmDefinition {
  readonly name: string;
  /** Its row in docs/operations/looking.md, if that is not its name. */
  readonly row?: string;
  readonly metric: IMetric;
  /** The value from which it goes off; left out: 1, of what should not happen at all. */
  readonly threshold?: number;
  /** Number of the last three periods that must reach the threshold; one period is enough when left out. */
  readonly ofThree?: number;
  /** Set: the alarm begins only while this metric of a shorter window reaches the threshold too. */
  readonly shortWindow?: IMetric;
  /** Set: CloudFormation undoes a deployment during which it begins, so it is a part of the stage's own stack. */
  readonly undoesDeployment?: true;
  /** Set: three periods without any value are reported, as INSUFFICIENT_DATA. */
  readonly reportsMissingData?: true;
  readonly description: string;
}

export const period = Duration.minutes(5);

/**
 * A metric that CloudFront writes, in us-east-1. Each has the dimension Region, which is always Global
 * (https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/programming-cloudwatch-metrics.html). The metrics that the CDK
 * has of a distribution lack it, so they never have a value (aws/aws-cdk#19245).
 */
export function cloudFrontMetric(name: string, of: Record<string, string>, statistic: string = Stats.SUM): Metric {
  const dimensionsMap = { ...of, Region: "Global" };
  return new Metric({ namespace: "AWS/CloudFront", metricName: name, dimensionsMap, statistic, period });
}

export function sum(metrics: readonly Metric[]): MathExpression {
  const usingMetrics = Object.fromEntries(metrics.map((metric, index) => [`m${index}`, metric]));
  return new MathExpression({ expression: `SUM([${Object.keys(usingMetrics).join(", ")}])`, usingMetrics, period });
}

/**
 * A function on a schedule that does not run: its rule is disabled, or its events are dropped. Then its metric has no value, and the
 * alarm reports INSUFFICIENT_DATA. That is also the state in which an alarm begins, so a deployment reports nothing, as it would if a
 * missing value counted as a bad one.
 */
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
  return { ...alarm, metric, ofThree: 3, reportsMissingData: true };
}
