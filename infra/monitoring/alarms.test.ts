import { readFileSync } from "node:fs";
import { expect, jest, test } from "@jest/globals";
import { count } from "../../functions/metrics.ts";
import { everyOption } from "../../test/support/synthesis/settings.ts";
import { ofType, only, type Resource, synthesise, synthesiseMonitoring } from "../../test/support/synthesis.ts";
import { stages } from "../stages.ts";

const staging = synthesise("staging");

/** The alarms of a stage that tell somebody, by their names, without the stage's; those of a window are parts of one. */
function alarms(resources = staging): Map<string, Resource["Properties"]> {
  const all = ["AWS::CloudWatch::Alarm", "AWS::CloudWatch::CompositeAlarm"].flatMap((type) => ofType(resources, type));
  const named = all.map(
    ({ Properties }) => [Properties.AlarmName.replace(/^svc-staging-(monitoring-)?/, ""), Properties] as const,
  );
  return new Map(named.filter(([name]) => !name.endsWith("Window")));
}

test("each alarm has a description, and sends one message at its start and one at its end", () => {
  const topic = Object.keys(staging).find((id) => staging[id]?.Type === "AWS::SNS::Topic");
  expect(alarms().size).toBeGreaterThan(10);
  for (const [name, alarm] of alarms()) {
    expect(alarm).toMatchObject({ AlarmActions: [{ Ref: topic }], OKActions: [{ Ref: topic }] });
    if (alarm.AlarmRule !== undefined) continue;
    expect(alarm).toMatchObject({
      ComparisonOperator: "GreaterThanOrEqualToThreshold",
      TreatMissingData: name.endsWith("NotRunning") ? "missing" : "notBreaching",
    });
  }
  // An alarm begins in this state, so the first deployment reports no schedule that has not run yet.
  for (const [name, alarm] of alarms())
    expect(alarm.InsufficientDataActions).toEqual(name.endsWith("NotRunning") ? [{ Ref: topic }] : undefined);
  expect(only(staging, "AWS::SNS::Subscription").Properties).toMatchObject({
    Protocol: "email",
    Endpoint: stages["staging"]?.alarmEmail,
    TopicArn: { Ref: topic },
  });
});

test("the alarms that undo a deployment are in the stage's own stack, all others beside it under names that it never had", () => {
  const others = alarms(synthesiseMonitoring("staging"));
  expect([...alarms().keys()].filter((name) => !others.has(name)).toSorted()).toEqual([
    "ApiFailing",
    "FunctionsFailing",
  ]);
  for (const { AlarmName } of others.values()) expect(AlarmName).toMatch(/^svc-staging-monitoring-[A-Z]/);
  for (const { AlarmName } of ["ApiFailing", "FunctionsFailing"].map((name) => alarms().get(name)))
    expect(AlarmName).toMatch(/^svc-staging-[A-Z]/);
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

test("one metric counts the throttles of all functions, which share the account's concurrency", () => {
  const throttled = alarms().get("FunctionsThrottled");
  expect(throttled).toMatchObject({ Namespace: "AWS/Lambda", MetricName: "Throttles", Statistic: "Sum" });
  expect(throttled).not.toHaveProperty("Dimensions");
});

test("what undoes a deployment counts the stage's own requests, and no function of another stage or of somebody else", () => {
  const all = synthesise("staging", everyOption("staging"));
  expect(alarms(all).get("FunctionsFailing")).toMatchObject({
    ...{ Namespace: "svc/staging", MetricName: "CrashedRequests", Statistic: "Sum", Threshold: 1 },
  });
  for (const name of ["ApiFailing", "FunctionsFailing"]) {
    const text = JSON.stringify(alarms(all).get(name));
    expect(text).not.toContain("AWS/Lambda");
    expect(text).toMatch(/"svc\/staging"|"ApiId"/);
  }
  const filter = ofType(all, "AWS::Logs::MetricFilter").find(({ Properties }) =>
    JSON.stringify(Properties).includes("CrashedRequests"),
  );
  const [accessLog] = Object.keys(all).filter((id) => /^AccessLog[0-9A-F]{8}$/.test(id));
  expect(filter?.Properties.LogGroupName).toEqual({ Ref: accessLog });
  // Each job has an alarm of its own, which undoes no deployment.
  for (const own of [
    "ChecksWaiting",
    "CountFailing",
    "NoticesFailing",
    "MailsFailing",
    "SweepFailing",
    "PointersFailing",
    "WebhooksFailing",
  ])
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
    CrashedRequests: '{ ($.status = "500") && ($.integration_error != "-") }',
    SlowRequests: expect.stringMatching(/^\{ \(\$\.latency_ms = /),
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

/** The text of the dashboard, without what only a deployment knows. */
function dashboardText(resources = staging): string {
  const {
    "Fn::Join": [, parts],
  } = only(resources, "AWS::CloudWatch::Dashboard").Properties.DashboardBody;
  return parts.map((part: unknown) => (typeof part === "string" ? part : "")).join("");
}

test("the dashboard has its four rows", () => {
  for (const question of ["Is it healthy?", "Who is slow?", "What do people do?", "What does it cost?"])
    expect(dashboardText()).toContain(question);
});

test("the dashboard shows the metrics that the functions write into their log, by their names and dimension there", () => {
  const write = jest.spyOn(process.stdout, "write").mockReturnValue(true);
  process.env["SVC_STAGE"] = "staging";
  count("Publications", {});
  count("TokensCreated", {});
  count("Refusals", { refusal: "quota_exceeded" });
  delete process.env["SVC_STAGE"];
  const written = write.mock.calls.map(([line]) => JSON.parse(String(line))._aws.CloudWatchMetrics[0]);
  write.mockRestore();
  const [publications, tokens, refusals] = written.map(({ Namespace, Dimensions: [names], Metrics: [{ Name }] }) =>
    names.length === 0
      ? `["${Namespace}","${Name}",`
      : `SEARCH('{\\"${Namespace}\\",${names.join(",")}} MetricName=\\"${Name}\\"', 'Sum', 3600)`,
  );
  for (const shown of [publications, tokens, refusals]) expect(dashboardText()).toContain(shown);
});
