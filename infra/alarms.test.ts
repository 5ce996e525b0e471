import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { everyOption } from "../test/support/synthesis/settings.ts";
import { ofType, only, type Resource, synthesise } from "../test/support/synthesis.ts";
import { stages } from "./stages.ts";

const staging = synthesise("staging");

/** The alarms of a stage by their names, without the stage's. */
function alarms(resources = staging): Map<string, Resource["Properties"]> {
  return new Map(
    ofType(resources, "AWS::CloudWatch::Alarm").map(({ Properties }) => [
      Properties.AlarmName.replace("svc-staging-", ""),
      Properties,
    ]),
  );
}

test("each alarm has a description, and sends one message at its start and one at its end", () => {
  expect([...alarms().keys()].toSorted()).toEqual(
    [
      "ApiFailing",
      "ApiSlow",
      "ApiThrottling",
      "FunctionsFailing",
      "FunctionsThrottled",
      "IdentityProviderUnreachable",
      "InternalErrors",
      "NoticesFailing",
      "NoticesNotRunning",
      "NoticesDeadLettered",
      "SweepFailing",
      "SweepNotRunning",
      "TableThrottling",
    ].toSorted(),
  );
  const topic = Object.keys(staging).find((id) => staging[id]?.Type === "AWS::SNS::Topic");
  for (const [name, alarm] of alarms())
    expect(alarm).toMatchObject({
      AlarmActions: [{ Ref: topic }],
      OKActions: [{ Ref: topic }],
      TreatMissingData: name.endsWith("NotRunning") ? "missing" : "notBreaching",
    });
  // An alarm begins in this state, so the first deployment reports no schedule that has not run yet.
  for (const [name, alarm] of alarms())
    expect(alarm.InsufficientDataActions).toEqual(name.endsWith("NotRunning") ? [{ Ref: topic }] : undefined);
  expect(only(staging, "AWS::SNS::Subscription").Properties).toMatchObject({
    Protocol: "email",
    Endpoint: stages["staging"]?.alarmEmail,
    TopicArn: { Ref: topic },
  });
});

/** The threshold of each alarm, and how many of how many periods of which seconds must reach it. */
function thresholdsOf(all: ReturnType<typeof alarms>): Record<string, string> {
  const rows = [...all].map(([name, { Threshold, DatapointsToAlarm, EvaluationPeriods, Metrics, Period }]) => {
    const periods = Metrics?.flatMap(({ MetricStat }: Resource["Properties"]) => MetricStat?.Period ?? []) ?? [Period];
    return [name, [Threshold, DatapointsToAlarm, EvaluationPeriods, ...new Set(periods)].join(" ")];
  });
  for (const { ComparisonOperator } of all.values()) expect(ComparisonOperator).toBe("GreaterThanOrEqualToThreshold");
  return Object.fromEntries(rows);
}

test("each alarm has its threshold, and how many of how many periods of which seconds must reach it", () => {
  expect(thresholdsOf(alarms())).toEqual({
    ApiFailing: "1 1 1 300",
    ApiSlow: "12000 2 3 300",
    FunctionsFailing: "1 1 1 300",
    FunctionsThrottled: "1 1 1 300",
    ApiThrottling: "50 1 1 300",
    IdentityProviderUnreachable: "5 1 1 300",
    InternalErrors: "1 1 1 300",
    NoticesFailing: "1 2 3 300",
    NoticesNotRunning: "1 3 3 300",
    NoticesDeadLettered: "1 1 1 300",
    SweepFailing: "1 1 1 300",
    SweepNotRunning: "1 3 3 900",
    TableThrottling: "1 2 3 300",
  });
  const [failing] = alarms().get("ApiFailing").Metrics;
  expect(failing.Expression).toBe("IF(failures >= 5, 100 * failures / requests, 0)");
});

test("so has each alarm of mails, of pointers and of games", () => {
  const all = alarms(synthesise("staging", everyOption("staging")));
  for (const name of alarms().keys()) all.delete(name);
  expect(thresholdsOf(all)).toEqual({
    AccessLogStopped: "1 1 1 3600",
    ApiUnreachable: "1 1 1 300",
    GamesUnreachable: "1 1 1 300",
    GamesFailing: "1 2 3 300",
    GamesFunctionsFailing: "1 1 1 300",
    GamesOriginFailing: "1 1 1 300",
    GamesTransfer: "24509803922 1 1 3600",
    MailsFailing: "1 2 3 300",
    MailsRefused: "10 1 1 300",
    MailsDeadLettered: "1 1 1 300",
    PointersFailing: "1 2 3 300",
    PointersNotRunning: "1 3 3 300",
    PointersRefused: "1 1 1 300",
    CountFailing: "1 1 1 300",
    CountNotRunning: "1 3 3 1800",
  });
});

test("the alarms of this stage may publish to their topic, and nobody may without TLS", () => {
  expect(only(staging, "AWS::SNS::TopicPolicy").Properties.PolicyDocument.Statement).toEqual([
    expect.objectContaining({ Effect: "Deny", Condition: { Bool: { "aws:SecureTransport": "false" } } }),
    expect.objectContaining({
      Effect: "Allow",
      Principal: { Service: "cloudwatch.amazonaws.com" },
      Action: "sns:Publish",
      Condition: {
        StringEquals: { "aws:SourceAccount": "111111111111" },
        ArnLike: { "aws:SourceArn": "arn:aws:cloudwatch:us-east-1:111111111111:alarm:svc-staging-*" },
      },
    }),
    expect.objectContaining({ Effect: "Allow", Principal: { Service: "events.amazonaws.com" }, Action: "sns:Publish" }),
  ]);
});

test("one metric counts the throttles of all functions, and one the errors of those that no schedule, bus or queue starts", () => {
  const throttled = alarms().get("FunctionsThrottled");
  expect(throttled).toMatchObject({ Namespace: "AWS/Lambda", MetricName: "Throttles", Statistic: "Sum" });
  expect(throttled).not.toHaveProperty("Dimensions");
  const all = synthesise("staging", everyOption("staging"));
  const { Metrics } = alarms(all).get("FunctionsFailing");
  const [{ Expression }] = Metrics.filter(({ ReturnData }: Resource["Properties"]) => ReturnData !== false);
  expect(Expression).toBe("whole - FILL(m0, 0) - FILL(m1, 0) - FILL(m2, 0) - FILL(m3, 0) - FILL(m4, 0)");
  const errors = new Map<string, string | undefined>(
    Metrics.flatMap(({ Id, MetricStat }: Resource["Properties"]) => {
      if (MetricStat === undefined) return [];
      expect(MetricStat).toMatchObject({ Metric: { Namespace: "AWS/Lambda", MetricName: "Errors" }, Stat: "Sum" });
      const [dimension] = MetricStat.Metric.Dimensions ?? [];
      return [[Id, all[dimension?.Value.Ref]?.Properties.FunctionName]];
    }),
  );
  expect([...errors.values()].toSorted()).toEqual([
    ...["count-plays", "deliver-notices", "mail-notice", "sweep", "write-pointers"].map((job) => `svc-staging-${job}`),
    undefined,
  ]);
  expect(errors.get("whole")).toBeUndefined();
  // Each of them has an alarm of its own, which undoes no deployment.
  for (const own of ["CountFailing", "NoticesFailing", "MailsFailing", "SweepFailing", "PointersFailing"])
    expect([...alarms(all).keys()]).toContain(own);
});

test("no alarm has more than ten metrics, CloudWatch's limit, which only a deployment would check", () => {
  const counts = [...alarms()].map(([name, { Metrics = [] }]) => [
    name,
    Metrics.filter(({ MetricStat }: Resource["Properties"]) => MetricStat !== undefined).length,
  ]);
  expect(counts.filter(([, count]) => count > 10)).toEqual([]);
});

test("errors in the functions' log are counted by code", () => {
  const filters = ofType(staging, "AWS::Logs::MetricFilter").map(({ Properties }) => [
    Properties.MetricTransformations[0].MetricName,
    Properties.FilterPattern,
  ]);
  expect(Object.fromEntries(filters)).toEqual({
    ThrottledRequests: '{ $.status = "429" }',
    IdentityProviderUnreachable: '{ $.code = "identity_provider_unavailable" }',
    InternalErrors: '{ $.code = "internal_error" }',
    NoticesDeadLettered: '{ $.code = "notice_dead_lettered" }',
  });
});

test("every alarm has its row in docs/operations/looking.md", () => {
  const guide = readFileSync("docs/operations/looking.md", "utf8");
  for (const { AlarmDescription } of alarms(synthesise("staging", everyOption("staging"))).values()) {
    const [, row] = /See "(\w+)" in docs\/operations\/looking\.md\.$/.exec(AlarmDescription) ?? [];
    expect(guide).toContain(`\n| ${row} | `);
  }
});

test("the bill has an alarm too", () => {
  const { Budget, NotificationsWithSubscribers } = only(staging, "AWS::Budgets::Budget").Properties;
  expect(Budget).toEqual({ BudgetType: "COST", TimeUnit: "MONTHLY", BudgetLimit: { Amount: 50, Unit: "USD" } });
  expect(
    NotificationsWithSubscribers.map(
      ({ Notification: { NotificationType, Threshold }, Subscribers }: Resource["Properties"]) => [
        NotificationType,
        Threshold,
        Subscribers[0].Address,
      ],
    ),
  ).toEqual([
    ["ACTUAL", 80, stages["staging"]?.alarmEmail],
    ["FORECASTED", 100, stages["staging"]?.alarmEmail],
  ]);
});

test("the dashboard has its three rows", () => {
  const {
    "Fn::Join": [, parts],
  } = only(staging, "AWS::CloudWatch::Dashboard").Properties.DashboardBody;
  const text = parts.map((part: unknown) => (typeof part === "string" ? part : "")).join("");
  for (const question of ["Is it healthy?", "Who is slow?", "What does it cost?"]) expect(text).toContain(question);
});
