import { describe, expect, test } from "@jest/globals";
import { withGames } from "../../../test/support/synthesis/settings.ts";
import { ofType, only, statementsOfRoles, synthesise, synthesiseOptionStack } from "../../../test/support/synthesis.ts";

/*
 * The access log of the games, what may read it, and what is never in it.
 */

const staging = synthesise("staging", withGames("staging"));
const delivery = synthesiseOptionStack("staging");

/** Fields of the log, written by hand, so that a field more is noticed. */
const fields = [
  ...["date", "time", "x-host-header", "cs-uri-stem", "sc-status", "sc-bytes", "time-taken", "time-to-first-byte"],
  ...["c-country", "x-edge-result-type", "cs-protocol", "viewer-request-log-data"],
];

describe("the log of players' requests", () => {
  test("has these fields, and no address, cookie, query, referrer or user agent", () => {
    expect(only(delivery, "AWS::Logs::Delivery").Properties).toMatchObject({
      DeliverySourceName: only(delivery, "AWS::Logs::DeliverySource").Properties.Name,
      RecordFields: fields,
      S3SuffixPath: "{yyyy}/{MM}/{dd}/{HH}",
    });
    expect(JSON.stringify(delivery)).not.toMatch(/c-ip|forwarded|cookie|query|referer|agent|c-port|request-id/i);
    const { Columns } = only(staging, "AWS::Glue::Table").Properties.TableInput.StorageDescriptor;
    expect(Columns.map(({ Name, Type }: Record<string, string>) => `${Name} ${Type}`)).toEqual(
      fields.map((field) => `${field.replaceAll("-", "_")} string`),
    );
    for (const { Properties } of ofType(staging, "AWS::CloudFront::Distribution"))
      expect(Properties.DistributionConfig.Logging).toBeUndefined();
  });

  test("is the one of the games' distribution, as Parquet in the stage's bucket", () => {
    const output = (OutputName: string) => ({
      "Fn::GetStackOutput": { StackName: "svc-staging", OutputName, Region: "us-east-1" },
    });
    expect(only(delivery, "AWS::Logs::DeliverySource").Properties).toEqual({
      Name: { "Fn::Join": ["", ["svc-staging-games-", output("GamesDistributionId")]] },
      LogType: "ACCESS_LOGS",
      ResourceArn: {
        "Fn::Join": ["", ["arn:aws:cloudfront::111111111111:distribution/", output("GamesDistributionId")]],
      },
    });
    expect(only(delivery, "AWS::Logs::DeliveryDestination").Properties).toEqual({
      Name: expect.stringMatching(/^svc-staging-games-[0-9a-f]{8}$/),
      OutputFormat: "parquet",
      DestinationResourceArn: { "Fn::Join": ["", [output("GamesLogBucketArn"), "/log"]] },
    });
  });

  test("is kept for 30 days, the results of queries for one, and only CloudFront's delivery may write it", () => {
    const [id] = Object.entries(staging).find(([name]) => /^GamesLogBucket[0-9A-F]{8}$/.test(name)) ?? [];
    const rules = staging[id ?? ""]?.Properties.LifecycleConfiguration.Rules;
    expect(rules).toMatchObject([
      { ExpirationInDays: 30 },
      { ExpirationInDays: 1, Prefix: "results/" },
      { AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 } },
    ]);
    const policy = ofType(staging, "AWS::S3::BucketPolicy").find(({ Properties }) => Properties.Bucket.Ref === id);
    const statements: { Effect: string }[] = policy?.Properties.PolicyDocument.Statement ?? [];
    const [allowed, ...others] = statements.filter(({ Effect }) => Effect === "Allow");
    expect(others).toEqual([]);
    expect(allowed).toMatchObject({
      Action: "s3:PutObject",
      Principal: { Service: "delivery.logs.amazonaws.com" },
      Resource: { "Fn::Join": ["", [expect.anything(), "/log/*"]] },
      Condition: { StringEquals: { "aws:SourceAccount": "111111111111" } },
    });
  });
});

test("the function that counts queries in its own work group, and changes statistics and a project's limit of traffic alone", () => {
  const own = Object.entries(statementsOfRoles(staging)).flatMap(([role, of]) => (/^GamesLog/.test(role) ? of : []));
  const onTable = own.filter(({ Action }) => JSON.stringify(Action).includes("dynamodb"));
  expect(
    onTable.map(({ Action, Condition }) => [Action, Object.values(Condition?.["ForAllValues:StringLike"] ?? {})]),
  ).toEqual([
    [["dynamodb:BatchGetItem", "dynamodb:PutItem", "dynamodb:UpdateItem"], [["STATISTICS#*", "TRAFFIC#*"]]],
    [["dynamodb:BatchGetItem", "dynamodb:Query"], [["PROJECT#*"]]],
    ["dynamodb:UpdateItem", [["PROJECT#*"]]],
    ["dynamodb:PutItem", [["OUTBOX#*", "POINTER#*"]]],
  ]);
  expect(onTable.map(({ Condition }) => Condition?.["ForAllValues:StringEquals"]).filter(Boolean)).toEqual([
    { "dynamodb:Attributes": ["PK", "SK", "ownerKey", "trafficLimit"] },
  ]);
  const others = own.flatMap(({ Action }) => Action).filter((action) => !/^(dynamodb|logs|xray)/.test(action));
  expect(others).toEqual([
    "cloudwatch:GetMetricStatistics",
    ...["athena:GetQueryExecution", "athena:GetQueryResults", "athena:StartQueryExecution"],
    ...["glue:GetDatabase", "glue:GetPartitions", "glue:GetTable"],
    ...["s3:GetBucketLocation", "s3:ListBucket", "s3:GetObject", "s3:AbortMultipartUpload", "s3:PutObject"],
  ]);
  expect(only(staging, "AWS::Athena::WorkGroup").Properties).toMatchObject({
    Name: "svc_staging",
    WorkGroupConfiguration: { EnforceWorkGroupConfiguration: true, BytesScannedCutoffPerQuery: 100_000_000_000 },
  });
  const counter = ofType(staging, "AWS::Lambda::Function").find(
    ({ Properties }) => Properties.FunctionName === "svc-staging-count-plays",
  );
  expect(counter?.Properties).toMatchObject({
    MemorySize: 256,
    Environment: {
      Variables: {
        ...{ ATHENA_DATABASE: "svc_staging", GAMES_DOMAIN: "github.io" },
        GAMES_DISTRIBUTION_ID: { Ref: expect.stringMatching(/^GamesDistribution[0-9A-F]{8}$/) },
      },
    },
  });
});

test("the functions that count and tell traffic are told the stage's limits, and an alarm tells the operator which game is over one", () => {
  const traffic = { projectGigabytes: 500, accountGigabytes: 2_000, onlyTell: true } as const;
  const resources = synthesise("staging", { ...withGames("staging"), traffic });
  const told = ofType(resources, "AWS::Lambda::Function").flatMap(({ Properties: { FunctionName, Environment } }) =>
    Environment?.Variables?.TRAFFIC_BYTES_PER_PROJECT === undefined ? [] : [[FunctionName, Environment.Variables]],
  );
  const limits = { TRAFFIC_BYTES_PER_PROJECT: "500000000000", TRAFFIC_BYTES_PER_ACCOUNT: "2000000000000" };
  expect(Object.fromEntries(told)).toEqual({
    "svc-staging-count-plays": expect.objectContaining({ ...limits, TRAFFIC_ONLY_TELL: "1" }),
    "svc-staging-get-statistics": expect.objectContaining(limits),
  });
  const alarmNames = (of: typeof resources) =>
    ofType(of, "AWS::CloudWatch::Alarm").map(({ Properties }) => Properties.AlarmName);
  expect(alarmNames(resources)).toContain("svc-staging-monitoring-TrafficLimitReached");
  expect(alarmNames(staging)).not.toContain("svc-staging-monitoring-TrafficLimitReached");
  const filters = ofType(resources, "AWS::Logs::MetricFilter").map(({ Properties }) => Properties.FilterPattern);
  expect(filters).toContain('{ $.code = "traffic_limit_reached" }');
});

const stoppedAlarm = (of: ReturnType<typeof synthesise>) =>
  ofType(of, "AWS::CloudWatch::Alarm").find(
    ({ Properties }) => Properties.AlarmName === "svc-staging-monitoring-AccessLogStopped",
  )?.Properties;

test("an alarm goes off while the job says, once an hour, that the log lacks requests", () => {
  expect(stoppedAlarm(staging)).toMatchObject({
    ...{ MetricName: "AccessLogStopped", Namespace: "svc/staging", Period: 3_600, Statistic: "Sum", Threshold: 1 },
  });
  const filters = ofType(staging, "AWS::Logs::MetricFilter").map(({ Properties }) => Properties.FilterPattern);
  expect(filters).toContain('{ $.code = "access_log_stopped" }');
});

test("a stage without games has no log of them", () => {
  const without = synthesise("staging", { gamesDomain: undefined });
  expect(stoppedAlarm(without)).toBeUndefined();
  for (const type of ["AWS::Glue::Table", "AWS::Athena::WorkGroup"]) expect(ofType(without, type)).toEqual([]);
});

test("a stage that leaves statistics out has neither log, function, route nor alarms of them", () => {
  const resources = synthesise("staging", { ...withGames("staging"), statistics: false });
  const text = JSON.stringify(resources);
  expect(text.match(/GamesLog|count-plays|get-statistics|CountFailing|AccessLogStopped|Athena/g)).toBeNull();
  expect(text).toContain("svc-staging-write-pointers");
});
