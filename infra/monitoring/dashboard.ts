import { Duration } from "aws-cdk-lib";
import type { HttpApi } from "aws-cdk-lib/aws-apigatewayv2";
import {
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IAlarm,
  type IWidget,
  LogQueryVisualizationType,
  LogQueryWidget,
  MathExpression,
  Metric,
  PeriodOverride,
  Stats,
} from "aws-cdk-lib/aws-cloudwatch";
import type { ITableV2 } from "aws-cdk-lib/aws-dynamodb";
import type { LogGroup } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import type { RouteFunction } from "../api/route-function.ts";
import type { GamesEdge } from "../games/games-edge.ts";
import { edgeRegion } from "../hosts/domains.ts";
import type { Stage } from "../settings/stage.ts";
import { alarmingBurnRate, apiBurnRate, gamesBurnRate, objectives, windows } from "./objectives.ts";
import { prices } from "./prices.ts";

interface DashboardProps {
  readonly stage: Stage;
  readonly api: HttpApi;
  readonly functions: readonly RouteFunction[];
  readonly table: ITableV2;
  readonly accessLog: LogGroup;
  readonly functionLog: LogGroup;
  readonly alarms: readonly IAlarm[];
  /** Counts the requests that were too slow for the objective of the API. */
  readonly slowRequests: Metric;
  /** The games' edge, on a stage with a games domain. */
  readonly games: GamesEdge | undefined;
}

const width = 24;

/** Rows that show whether the stage is healthy and meets its objectives, who is slow, what people do, and what it costs. */
export function createDashboard(scope: Construct, props: DashboardProps): Dashboard {
  return new Dashboard(scope, "Dashboard", {
    dashboardName: `svc-${props.stage.name}`,
    defaultInterval: Duration.hours(12),
    periodOverride: PeriodOverride.AUTO,
    widgets: [
      isItHealthy(props),
      areObjectivesMet(props),
      whoIsSlow(props),
      whatDoPeopleDo(props),
      whatDoesItCost(props),
    ],
  });
}

function isItHealthy({ api, alarms, functionLog }: DashboardProps): IWidget[] {
  return [
    new AlarmStatusWidget({ title: "Is it healthy? Alarms", alarms: [...alarms], width: width / 3, height: 8 }),
    new GraphWidget({
      title: "Requests",
      left: [api.metricCount({ statistic: Stats.SUM, label: "all" })],
      right: [
        api.metricClientError({ statistic: Stats.SUM, label: "4xx" }),
        api.metricServerError({ statistic: Stats.SUM, label: "5xx" }),
      ],
      width: width / 3,
      height: 8,
    }),
    logTable({
      title: "What went wrong, by error",
      log: functionLog,
      lines: [
        "filter ispresent(code)",
        "stats count(*) as times, latest(request_id) as example by code, route",
        "sort times desc",
      ],
    }),
  ];
}

/** How fast the objectives' errors are spent: above 1 for 30 days, an objective is missed. */
function areObjectivesMet({ api, slowRequests, games }: DashboardProps): IWidget[] {
  const graph = (title: string, rateIn: (window: Duration) => MathExpression) =>
    new GraphWidget({
      title,
      left: [rateIn(windows.long), rateIn(windows.short)],
      leftAnnotations: [{ value: alarmingBurnRate, label: "alarm, if both are above it" }],
      leftYAxis: { min: 0 },
      width: width / 2,
      height: 6,
    });
  const percent = (objective: number) => `${Number((100 * objective).toFixed(4))} %`;
  const ofApi = `Are objectives met? API, ${percent(objectives.api)} within a second: burn rate`;
  const distribution = games?.distribution.distributionId;
  return [
    graph(ofApi, (window) => apiBurnRate(api, slowRequests, window)),
    ...(distribution === undefined
      ? []
      : [
          graph(`Games, ${percent(objectives.games)} without an error: burn rate`, (window) =>
            gamesBurnRate(distribution, window, edgeRegion),
          ),
        ]),
  ];
}

function whoIsSlow({ api, accessLog, table }: DashboardProps): IWidget[] {
  return [
    logTable({
      title: "Who is slow? Milliseconds by route",
      log: accessLog,
      lines: [
        "filter status < 500",
        "stats count(*) as requests, pct(latency_ms, 50) as p50, pct(latency_ms, 99) as p99, max(latency_ms) as max by route",
        "sort p99 desc",
      ],
    }),
    new GraphWidget({
      title: "The API, milliseconds",
      left: [
        api.metricLatency({ statistic: Stats.p(50), label: "p50" }),
        api.metricLatency({ statistic: Stats.p(99), label: "p99" }),
        api.metricIntegrationLatency({ statistic: Stats.p(99), label: "functions p99" }),
      ],
      width: width / 3,
      height: 8,
    }),
    new GraphWidget({
      title: "The table, milliseconds",
      left: ["BatchGetItem", "Query", "UpdateItem", "TransactWriteItems"].map((operation) =>
        table.metricSuccessfulRequestLatency({
          dimensionsMap: { TableName: table.tableName, Operation: operation },
          statistic: Stats.p(99),
          label: `${operation} p99`,
        }),
      ),
      width: width / 3,
      height: 8,
    }),
  ];
}

/** The business metrics that the functions write into their log (functions/metrics.ts). */
function whatDoPeopleDo({ stage: { name } }: DashboardProps): IWidget[] {
  const namespace = `svc/${name}`;
  const period = Duration.hours(1);
  const counted = (metricName: string, label: string) =>
    new Metric({ namespace, metricName, statistic: Stats.SUM, period, label });
  return [
    new GraphWidget({
      title: "What do people do? Each hour",
      left: [counted("Publications", "releases that went live"), counted("TokensCreated", "tokens that were made")],
      width: width / 3,
      height: 8,
    }),
    new GraphWidget({
      title: "Why were they refused? Each hour, by error",
      left: [
        new MathExpression({
          expression: `SEARCH('{"${namespace}",refusal} MetricName="Refusals"', 'Sum', ${period.toSeconds()})`,
          usingMetrics: {},
          label: "",
          period,
        }),
      ],
      width: (width / 3) * 2,
      height: 8,
    }),
  ];
}

function whatDoesItCost({ api, functions, table }: DashboardProps): IWidget[] {
  const total = { period: Duration.hours(1), statistic: Stats.SUM };
  const seconds = functions.map(({ lambda, memoryGigabytes }, index) => ({
    id: `d${index}`,
    metric: lambda.metricDuration(total),
    gigabytesPerMillisecond: memoryGigabytes / 1_000,
  }));
  const invocations = functions.map(({ lambda }, index) => [`i${index}`, lambda.metricInvocations(total)] as const);
  const dollars = (label: string, expression: string, usingMetrics: Record<string, Metric>) =>
    new MathExpression({ label, expression, usingMetrics, period: total.period });
  return [
    new GraphWidget({
      title: "What does it cost? Dollars an hour at list prices, without storage, transfer and logs",
      stacked: true,
      left: [
        dollars("API Gateway", `requests * ${prices.millionApiRequests} / 1000000`, {
          requests: api.metricCount(total),
        }),
        dollars(
          "Lambda calls",
          `SUM([${invocations.map(([id]) => id).join(", ")}]) * ${prices.millionFunctionCalls} / 1000000`,
          {
            ...Object.fromEntries(invocations),
          },
        ),
        dollars(
          "Lambda time",
          `SUM([${seconds.map(({ id, gigabytesPerMillisecond }) => `${id} * ${gigabytesPerMillisecond}`).join(", ")}]) * ${prices.millionGigabyteSeconds} / 1000000`,
          Object.fromEntries(seconds.map(({ id, metric }) => [id, metric])),
        ),
        dollars("DynamoDB reads", `reads * ${prices.millionTableReadUnits} / 1000000`, {
          reads: table.metricConsumedReadCapacityUnits(total),
        }),
        dollars("DynamoDB writes", `writes * ${prices.millionTableWriteUnits} / 1000000`, {
          writes: table.metricConsumedWriteCapacityUnits(total),
        }),
      ],
      width: (width / 3) * 2,
      height: 8,
    }),
    new GraphWidget({
      title: "The table's units",
      left: [
        table.metricConsumedReadCapacityUnits({ ...total, label: "read" }),
        table.metricConsumedWriteCapacityUnits({ ...total, label: "written" }),
      ],
      width: width / 3,
      height: 8,
    }),
  ];
}

function logTable({ title, log, lines }: { title: string; log: LogGroup; lines: string[] }): LogQueryWidget {
  return new LogQueryWidget({
    title,
    logGroupNames: [log.logGroupName],
    queryLines: lines,
    view: LogQueryVisualizationType.TABLE,
    width: width / 3,
    height: 8,
  });
}
