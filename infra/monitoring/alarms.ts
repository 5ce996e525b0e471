import type { HttpApi } from "aws-cdk-lib/aws-apigatewayv2";
import { Alarm, type AlarmBase, type IAlarm, MathExpression, Metric, Stats } from "aws-cdk-lib/aws-cloudwatch";
import type { ITableV2 } from "aws-cdk-lib/aws-dynamodb";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import { FilterPattern, type LogGroup, type MetricFilterOptions } from "aws-cdk-lib/aws-logs";
import type { Topic } from "aws-cdk-lib/aws-sns";
import { Construct } from "constructs";
import { routeKey } from "../api/api.ts";
import type { RouteFunction } from "../api/route-function.ts";
import { type Copies, copyAlarms } from "../background/copies.ts";
import { pointerAlarms } from "../background/pointers.ts";
import { scheduledPublicationAlarms } from "../background/scheduled-publications.ts";
import { sweepEvery } from "../background/sweep.ts";
import type { GamesEdge } from "../games/games-edge.ts";
import { certificatesOf } from "../hosts/certificates.ts";
import { edgeRegion } from "../hosts/domains.ts";
import type { Logged, OptionParts } from "../option.ts";
import type { Stage } from "../settings/stage.ts";
import { type AlarmDefinition, noRun, period, sum } from "./alarm-definition.ts";
import { gamesAlarms } from "./games-alarms.ts";
import { outsideAlarms } from "./health-checks.ts";
import { alarmArns, alarmPrefix, monitoringPrefix } from "./monitoring-names.ts";
import type { MonitoringStack } from "./monitoring-stack.ts";
import { apiBurnRate, objectiveAlarm, slowRequests } from "./objectives.ts";
import { createTopic, raiseAlarms } from "./raise-alarms.ts";

interface AlarmsProps {
  readonly stage: Stage;
  /** Where the alarms are that undo no deployment; undefined: in the scope, too. */
  readonly monitoring: MonitoringStack | undefined;
  readonly api: HttpApi;
  /** The functions of routes. */
  readonly functions: readonly RouteFunction[];
  readonly table: ITableV2;
  /** Parts of the stage's options. */
  readonly options: readonly OptionParts[];
  /** The function that deletes releases and files that are no longer needed. */
  readonly sweep: IFunction;
  /** What checks copies of files. */
  readonly copies: Copies;
  /** The function that writes pointers, on a stage with a games' edge. */
  readonly pointers: IFunction | undefined;
  /** The function that makes scheduled releases live. */
  readonly scheduled: IFunction;
  /** The games' edge, on a stage with a games domain. */
  readonly games: GamesEdge | undefined;
  readonly functionLog: LogGroup;
  readonly accessLog: LogGroup;
}

/** Every alarm of a stage in its region; docs/operations/looking.md says what each means and where to look. */
export class Alarms extends Construct {
  readonly alarms: readonly AlarmBase[];
  /** The same for other stacks than theirs. */
  readonly named: readonly IAlarm[];
  readonly topic: Topic;
  /** Counts the requests that were too slow for the objective of the API. */
  readonly slowRequests: Metric;

  constructor(scope: Construct, id: string, props: AlarmsProps) {
    super(scope, id);
    const { stage, monitoring, api, functions, table, options, sweep, copies, pointers, scheduled, games } = props;
    const { functionLog, accessLog } = props;
    const watching = monitoring ?? this;
    const metricNamespace = `svc/${stage.name}`;
    const logged: Logged = (metricName, code) =>
      counted(functionLog, metricName, {
        filterPattern: FilterPattern.stringValue("$.code", "=", code),
        metricNamespace,
        metricName,
      });
    this.slowRequests = counted(accessLog, "Slow", {
      filterPattern: slowRequests(routesThatMayTakeLonger(functions)),
      metricNamespace,
      metricName: "SlowRequests",
    });
    const definitions = [
      objectiveAlarm(
        "ApiObjective",
        (window) => apiBurnRate(api, this.slowRequests, window),
        "So many requests of the API fail or take a second or longer that the objective of 99.9 % in 30 days is missed if it goes on.",
      ),
      ...apiAlarms(api, throttledRequests(accessLog, metricNamespace)),
      ...functionAlarms(crashedRequests(accessLog, metricNamespace)),
      ...tableAlarms(table),
      ...options.flatMap(({ alarms }) => alarms?.(logged) ?? []),
      ...sweepAlarms(sweep),
      ...copyAlarms(copies),
      ...(pointers ? pointerAlarms(pointers, logged("PointersRefused", "pointer_refused")) : []),
      ...scheduledPublicationAlarms(scheduled),
      // Those of a stage in another region are in EdgeAlarmsStack.
      ...(games && stage.region === edgeRegion ? gamesAlarms(stage, games.distribution.distributionId) : []),
      ...loggedAlarms(logged),
      ...outsideAlarms(watching, stage, "service"),
    ];
    this.topic = createTopic(this, stage, certificatesOf(stage, "service"));
    const isOwn = ({ undoesDeployment }: AlarmDefinition) => monitoring === undefined || undoesDeployment === true;
    const own = { topic: this.topic, definitions: definitions.filter(isOwn), prefix: alarmPrefix(stage) };
    const others = {
      topic: this.topic,
      definitions: definitions.filter((definition) => !isOwn(definition)),
      prefix: monitoringPrefix(stage),
    };
    this.alarms = [...raiseAlarms(this, own), ...raiseAlarms(watching, others)];
    this.named = [own, others].flatMap(({ definitions: all, prefix }) =>
      all.map(({ name }) => Alarm.fromAlarmArn(this, `${name}Name`, alarmArns(stage, `${prefix}-${name}`))),
    );
    for (const { tell } of options) tell?.(this, this.topic);
  }
}

function apiAlarms(api: HttpApi, throttled: Metric): AlarmDefinition[] {
  const failures = api.metricServerError({ period, statistic: Stats.SUM });
  const requests = api.metricCount({ period, statistic: Stats.SUM });
  return [
    {
      name: "ApiFailing",
      metric: new MathExpression({
        // At least five failures, because a single one among few requests is no outage.
        expression: "IF(failures >= 5, 100 * failures / requests, 0)",
        usingMetrics: { failures, requests },
        period,
        label: "5xx, % of requests",
      }),
      threshold: 1,
      undoesDeployment: true,
      description: "At least one request in a hundred got 5xx.",
    },
    {
      name: "ApiSlow",
      metric: api.metricIntegrationLatency({ period, statistic: Stats.p(99) }),
      // 80 % of the time-out of most functions; only those that publish have longer.
      threshold: 12_000,
      ofThree: 2,
      description: "One request in a hundred takes over 12 s.",
    },
    {
      name: "ApiThrottling",
      metric: throttled,
      threshold: 50,
      description: "API Gateway refused 50 requests or more with 429.",
    },
  ];
}

/** HTTP APIs have no metric of throttled requests, so they are counted in the access log. */
function throttledRequests(accessLog: LogGroup, metricNamespace: string): Metric {
  const filterPattern = FilterPattern.stringValue("$.status", "=", "429");
  return counted(accessLog, "Throttled", { filterPattern, metricNamespace, metricName: "ThrottledRequests" });
}

/**
 * FunctionsFailing undoes a deployment, so it counts the stage's own calls in its access log: Lambda's metric without a dimension is the sum of the
 * account's functions in this region, also those of others, and an alarm takes ten metrics, not one of each route. What a schedule, the bus or a queue
 * starts has an alarm of its own: a job that failed before a deployment must not undo it
 * (docs/decisions/0041-what-a-deployment-may-do.md#a-bad-commit-undoes-itself).
 */
function functionAlarms(crashed: Metric): AlarmDefinition[] {
  return [
    {
      name: "FunctionsFailing",
      metric: crashed,
      undoesDeployment: true,
      description: "A function of a route crashed, ran out of memory or out of time.",
    },
    {
      name: "FunctionsThrottled",
      // All functions of the account share its concurrency.
      metric: new Metric({ namespace: "AWS/Lambda", metricName: "Throttles", statistic: Stats.SUM, period }),
      description:
        "Lambda had no room for a call: the account's concurrency, or a function's own share of it, is used up.",
    },
  ];
}

/**
 * A function that returns a response of its own, 500 too, is no error of the integration. One that Lambda throttles is a 503
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-troubleshooting-lambda.html).
 */
function crashedRequests(accessLog: LogGroup, metricNamespace: string): Metric {
  const filterPattern = FilterPattern.all(
    FilterPattern.stringValue("$.status", "=", "500"),
    FilterPattern.stringValue("$.integration_error", "!=", "-"),
  );
  return counted(accessLog, "Crashed", { filterPattern, metricNamespace, metricName: "CrashedRequests" });
}

function tableAlarms(table: ITableV2): AlarmDefinition[] {
  const throttled = (metricName: string) =>
    new Metric({
      namespace: "AWS/DynamoDB",
      metricName,
      dimensionsMap: { TableName: table.tableName },
      statistic: Stats.SUM,
      period,
    });
  return [
    {
      name: "TableThrottling",
      metric: sum([throttled("ReadThrottleEvents"), throttled("WriteThrottleEvents")]),
      ofThree: 2,
      description: "DynamoDB refused reads or writes for more than a moment.",
    },
  ];
}

/** They read or write the manifest of a release with up to 20,000 files, and have a longer time-out. */
function routesThatMayTakeLonger(functions: readonly RouteFunction[]): string[] {
  return functions.filter(({ mayTakeLonger }) => mayTakeLonger).map(({ route }) => routeKey(route));
}

/** Counts the lines of a log that a filter lets through. */
function counted(log: LogGroup, id: string, filter: MetricFilterOptions): Metric {
  return log.addMetricFilter(id, { ...filter, defaultValue: 0 }).metric({ period, statistic: Stats.SUM });
}

function sweepAlarms(sweep: IFunction): AlarmDefinition[] {
  return [
    {
      name: "SweepFailing",
      metric: sweep.metricErrors({ period }),
      description: "Projects could not be swept; the next run tries again.",
    },
    noRun({
      name: "SweepNotRunning",
      lambda: sweep,
      period: sweepEvery,
      description: "The sweep has not run for 45 minutes: nothing is deleted, and quotas fill up.",
    }),
  ];
}

/** Counts what the functions log about failures of the service, by error code. */
function loggedAlarms(logged: Logged): AlarmDefinition[] {
  return [
    {
      name: "IdentityProviderUnreachable",
      metric: logged("IdentityProviderUnreachable", "identity_provider_unavailable"),
      threshold: 5,
      description: "The identity provider's signing keys could not be fetched, so people could not sign in.",
    },
    {
      name: "InternalErrors",
      metric: logged("InternalErrors", "internal_error"),
      description: "A request ended in an error that nobody foresaw.",
    },
  ];
}
