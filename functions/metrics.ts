import type { ErrorCode } from "../contract/api/errors.ts";
import * as environment from "./environment.ts";

/** The business metrics of a stage, in CloudWatch's namespace `svc/STAGE`: what people do, which no metric of AWS tells. */
interface Metrics {
  /** A release has gone live, for the first time or again. */
  readonly Publications: Record<never, never>;
  /** A token was made: by a person, for a login or a CI job, or in place of another one. */
  readonly TokensCreated: Record<never, never>;
  /** A request was refused, by the code of the error. */
  readonly Refusals: { readonly refusal: ErrorCode };
}

/**
 * Adds one to a metric, by a line of the function's log in the embedded metric format, from which CloudWatch makes the metric
 * (https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html). Each combination of
 * dimensions is a metric that costs, so a dimension is of a list in the sources, and never a person, a project or a token. The
 * local service and the operator's commands count nothing.
 */
export function count<Name extends keyof Metrics>(name: Name, dimensions: Metrics[Name]): void {
  const stage = environment.stageName();
  if (stage === undefined || stage === "local") return;
  const now = new Date();
  const metric = {
    Namespace: `svc/${stage}`,
    Dimensions: [Object.keys(dimensions)],
    Metrics: [{ Name: name, Unit: "Count" }],
  };
  const line = {
    timestamp: now.toISOString(),
    level: "info",
    _aws: { Timestamp: now.getTime(), CloudWatchMetrics: [metric] },
    ...dimensions,
    [name]: 1,
  };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
