import { expect, test } from "@jest/globals";
import { withGames } from "../../test/support/synthesis/settings.ts";
import { ofType, only, type Resources, synthesise, synthesiseEdgeAlarms } from "../../test/support/synthesis.ts";

const { gamesDomain } = withGames("staging");
const elsewhere = { gamesDomain, region: "eu-central-1", dashboard: undefined };
const functionMetrics = ["FunctionExecutionErrors", "FunctionValidationErrors", "FunctionThrottles"];
const originMetrics = ["LambdaExecutionError", "LambdaValidationError", "LambdaLimitExceededErrors"];

/** Each alarm of the games with the metrics that it watches, and their dimensions. */
function watched(resources: Resources): Record<string, string[]> {
  const alarms = ofType(resources, "AWS::CloudWatch::Alarm").filter(({ Properties }) =>
    /^svc-staging-(monitoring-)?Games/.test(Properties.AlarmName),
  );
  return Object.fromEntries(
    alarms.map(({ Properties: { AlarmName, Metrics = [], ...single } }) => {
      const all = Metrics.flatMap(({ MetricStat }: { MetricStat?: { Metric: object } }) => MetricStat?.Metric ?? []);
      return [AlarmName, (all.length > 0 ? all : [single]).map(told)];
    }),
  );
}

interface MetricReference {
  readonly Namespace: string;
  readonly MetricName: string;
  readonly Dimensions: readonly { readonly Name: string; readonly Value: string | Reference }[];
}

interface Reference {
  readonly Ref?: string;
  readonly "Fn::GetStackOutput"?: Readonly<Record<"StackName" | "OutputName" | "Region", string>>;
}

/** The logical id, or the output with its stack and region. */
function nameOf({ Ref, "Fn::GetStackOutput": output }: Reference): string | undefined {
  return output ? `${output.Region} ${output.StackName} ${output.OutputName}` : Ref;
}

function told({ Namespace, MetricName, Dimensions }: MetricReference): string {
  const dimensions = Dimensions.map(
    ({ Name, Value }) => `${Name}=${typeof Value === "string" ? Value : nameOf(Value)}`,
  );
  return [Namespace, MetricName, ...dimensions].join(" ");
}

function expected(distribution: string, prefix: string): Record<string, string[]> {
  const ofDistribution = (metric: string) => `AWS/CloudFront ${metric} DistributionId=${distribution} Region=Global`;
  const ofFunctions = ["viewer-request", "viewer-own", "viewer-response"].flatMap((name) =>
    functionMetrics.map((metric) => `AWS/CloudFront ${metric} FunctionName=svc-staging-games-${name} Region=Global`),
  );
  const ofObjective = ["5xxErrorRate", "Requests"].map(ofDistribution);
  return {
    [`${prefix}-GamesObjectiveLongWindow`]: ofObjective,
    [`${prefix}-GamesObjectiveShortWindow`]: ofObjective,
    [`${prefix}-GamesFailing`]: [ofDistribution("5xxErrorRate")],
    [`${prefix}-GamesFunctionsFailing`]: ofFunctions,
    [`${prefix}-GamesOriginFailing`]: originMetrics.map(ofDistribution),
    [`${prefix}-GamesTransfer`]: [ofDistribution("BytesDownloaded")],
  };
}

test("a stage in us-east-1 watches the metrics that CloudFront has, all of them with the region Global", () => {
  const resources = synthesise("staging", { gamesDomain, dashboard: undefined });
  const [distribution = ""] = Object.keys(resources).filter(
    (id) => resources[id]?.Type === "AWS::CloudFront::Distribution",
  );
  expect(watched(resources)).toEqual(expected(distribution, "svc-staging-monitoring"));
});

test("a stage in another region has these alarms in us-east-1 alone, where the metrics are, for an output of its stack", () => {
  expect(watched(synthesise("staging", elsewhere))).toEqual({});
  expect(watched(synthesiseEdgeAlarms("staging", elsewhere))).toEqual(
    expected("eu-central-1 svc-staging GamesDistributionId", "svc-staging"),
  );
});

test.each([
  [50, 24_509_803_922],
  [500, 245_098_039_216],
])("a stage that may cost $%i a month is told of the hour of which a day costs that much", (dollars, bytes) => {
  const resources = synthesise("staging", { gamesDomain, monthlyBudgetDollars: dollars });
  const transfer = ofType(resources, "AWS::CloudWatch::Alarm").find(
    ({ Properties }) => Properties.AlarmName === "svc-staging-monitoring-GamesTransfer",
  );
  expect(transfer?.Properties).toMatchObject({ Threshold: bytes, Period: 3_600, Statistic: "Sum" });
});

test("the alarms of another region mail by a topic of their own, to which only they may publish", () => {
  const resources = synthesiseEdgeAlarms("staging", elsewhere);
  const [topic] = Object.keys(resources).filter((id) => resources[id]?.Type === "AWS::SNS::Topic");
  const all = ["AWS::CloudWatch::Alarm", "AWS::CloudWatch::CompositeAlarm"].flatMap((type) => ofType(resources, type));
  for (const { Properties } of all.filter((alarm) => !alarm.Properties.AlarmName.endsWith("Window")))
    expect(Properties).toMatchObject({ AlarmActions: [{ Ref: topic }], OKActions: [{ Ref: topic }] });
  expect(only(resources, "AWS::SNS::Subscription").Properties).toEqual({
    Protocol: "email",
    Endpoint: "svc-staging-alarms@example.com",
    TopicArn: { Ref: topic },
  });
  expect(only(resources, "AWS::SNS::TopicPolicy").Properties.PolicyDocument.Statement).toContainEqual(
    expect.objectContaining({
      Principal: { Service: "cloudwatch.amazonaws.com" },
      Condition: {
        StringEquals: { "aws:SourceAccount": "111111111111" },
        ArnLike: { "aws:SourceArn": "arn:aws:cloudwatch:us-east-1:111111111111:alarm:svc-staging-*" },
      },
    }),
  );
});
