import { Duration } from "aws-cdk-lib";
import type { HttpApi } from "aws-cdk-lib/aws-apigatewayv2";
import { MathExpression, type Metric, Stats } from "aws-cdk-lib/aws-cloudwatch";
import { FilterPattern, type IFilterPattern } from "aws-cdk-lib/aws-logs";
import { type AlarmDefinition, cloudFrontMetric } from "./alarm-definition.ts";

/*
 * The objectives of a stage, each for 30 days, and their alarms by burn rate in two windows ("Alerting on SLOs", The Site Reliability
 * Workbook, chapter 5): 1 means that the errors which the objective allows would last for exactly 30 days.
 */

/** Shares of requests that are good: of the API without 5xx within a second, of players without 5xx. */
export const objectives = { api: 0.999, games: 0.9995 } as const;

/** At this rate six hours spend 5 % of what the objective allows in 30 days. */
export const alarmingBurnRate = 6;

/** The long window says that it matters, the short one that it goes on. */
export const windows = { long: Duration.hours(6), short: Duration.minutes(30) } as const;

/** Fewer bad requests in a window than these are no trend: of few requests one is a large share. */
const fewest = 10;

/**
 * The lines of the access log of requests that took a second or longer and did not fail.
 *
 * @param exempt routes, as API Gateway names them, whose requests may take longer
 */
export function slowRequests(exempt: readonly string[]): IFilterPattern {
  const others = exempt.map((route) => `($.route != "${route}")`);
  // The log has milliseconds as text: of four digits or more.
  const slow = ["($.latency_ms = %^[0-9][0-9][0-9][0-9]%)", "($.status = %^[1-4]%)"];
  return FilterPattern.literal(`{ ${[...slow, ...others].join(" && ")} }`);
}

/** How fast the API spends what its objective allows. */
export function apiBurnRate(api: HttpApi, slow: Metric, period: Duration): MathExpression {
  const sum = { period, statistic: Stats.SUM };
  return burnRate("API", {
    objective: objectives.api,
    period,
    metrics: { slow: slow.with(sum), failed: api.metricServerError(sum), requests: api.metricCount(sum) },
    bad: (id) => `(FILL(${id("slow")}, 0) + FILL(${id("failed")}, 0))`,
  });
}

/**
 * How fast the games spend what their objective allows, by the metrics of CloudFront.
 *
 * @param region of the metrics, where it is not the region of who shows them
 */
export function gamesBurnRate(distributionId: string, period: Duration, region?: string): MathExpression {
  const of = (name: string, statistic: string) =>
    cloudFrontMetric(name, { DistributionId: distributionId }, statistic).with({
      period,
      ...(region !== undefined && { region }),
    });
  return burnRate("games", {
    objective: objectives.games,
    period,
    metrics: { percent: of("5xxErrorRate", Stats.AVERAGE), requests: of("Requests", Stats.SUM) },
    bad: (id) => `(${id("requests")} * ${id("percent")} / 100)`,
  });
}

interface BurnRate<Name extends string> {
  readonly objective: number;
  readonly period: Duration;
  readonly metrics: Readonly<Record<Name | "requests", Metric>>;
  /** The number of bad requests, by the ids of metrics. */
  readonly bad: (id: (name: Name | "requests") => string) => string;
}

/** The ids of its metrics name the window, because a graph shows two. */
function burnRate<Name extends string>(
  of: string,
  { objective, period, metrics, bad }: BurnRate<Name>,
): MathExpression {
  const id = (name: string) => `${name}${period.toMinutes()}`;
  const allowed = Number((1 - objective).toFixed(6));
  return new MathExpression({
    expression: `IF(${bad(id)} >= ${fewest}, ${bad(id)} / ${id("requests")} / ${allowed}, 0)`,
    usingMetrics: Object.fromEntries(Object.entries<Metric>(metrics).map(([name, metric]) => [id(name), metric])),
    period,
    label: `${of}, ${period.toHumanString()}`,
  });
}

/** The alarm of an objective: it begins if both windows burn. */
export function objectiveAlarm(
  name: string,
  rateIn: (window: Duration) => MathExpression,
  description: string,
): AlarmDefinition {
  return {
    name,
    metric: rateIn(windows.long),
    shortWindow: rateIn(windows.short),
    threshold: alarmingBurnRate,
    description,
  };
}
