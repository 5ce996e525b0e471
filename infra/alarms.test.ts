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
      ComparisonOperator: "GreaterThanOrEqualToThreshold",
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
