import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "@jest/globals";
import { bundleFolderOf } from "../../../infra/bundle.ts";
import { ofType, only, type Resource, statementsOfRoles, synthesise } from "../../../test/support/synthesis.ts";

const staging = synthesise("staging");

function delivery(name = "deliver-notices"): [id: string, Properties: Resource["Properties"]] {
  const found = Object.entries(staging).find(([, { Properties }]) => Properties.FunctionName === `svc-staging-${name}`);
  if (found === undefined) throw new Error(`There is no function ${name}`);
  return [found[0], found[1].Properties];
}

/** What a function may do, and on what. */
function statementsOf(name: string) {
  return statementsOfRoles(staging)[delivery(name)[1].Role["Fn::GetAtt"][0]]?.map(
    ({ Action, Resource: place, Condition }) => ({
      actions: [Action].flat().join(" "),
      on: place === "*" ? "*" : place["Fn::GetAtt"][0].slice(0, -8),
      ...(Condition && { keys: Condition["ForAllValues:StringLike"]["dynamodb:LeadingKeys"].join() }),
    }),
  );
}

test("the function that tells webhooks may send what waits, read accounts and projects, change neither, and reach no network of ours", () => {
  const [, { VpcConfig, Environment, Timeout }] = delivery("deliver-webhooks");
  expect(VpcConfig).toBeUndefined();
  // A delivery takes ten seconds.
  expect(Timeout).toBe(50);
  expect(Object.keys(Environment.Variables).toSorted()).toEqual([
    "DASHBOARD_ORIGIN",
    "NOTICES",
    "SAVES_PAGE",
    "SVC_STAGE",
    "TABLE_NAME",
  ]);
  expect(statementsOf("deliver-webhooks")).toEqual([
    { actions: "xray:PutTelemetryRecords xray:PutTraceSegments", on: "*" },
    { actions: "logs:CreateLogStream logs:PutLogEvents", on: "FunctionLog" },
    {
      actions: "dynamodb:BatchWriteItem dynamodb:DeleteItem dynamodb:PutItem dynamodb:Query dynamodb:UpdateItem",
      on: "Table",
      keys: "OUTBOX#*,WEBHOOK#*",
    },
    { actions: "dynamodb:BatchGetItem", on: "Table", keys: "ACCOUNT#*,PROJECT#*,WEBHOOK#*" },
  ]);
});

describe("the function that delivers notices", () => {
  test("runs every minute, ends before the next run, and is not repeated if it fails", () => {
    const [id, { Timeout, MemorySize, Runtime, Architectures }] = delivery();
    expect({ Timeout, MemorySize, Runtime, Architectures }).toEqual({
      Timeout: 50,
      MemorySize: 512,
      Runtime: "nodejs24.x",
      Architectures: ["arm64"],
    });
    const [rule] = ofType(staging, "AWS::Events::Rule").filter((each) => JSON.stringify(each).includes(id));
    const { ScheduleExpression, Targets, State } = rule?.Properties ?? {};
    expect({ ScheduleExpression, State }).toEqual({ ScheduleExpression: "rate(1 minute)", State: "ENABLED" });
    expect(Targets).toEqual([
      expect.objectContaining({
        Arn: { "Fn::GetAtt": [id, "Arn"] },
        RetryPolicy: { MaximumEventAgeInSeconds: 60, MaximumRetryAttempts: 0 },
      }),
    ]);
    const invocations = ofType(staging, "AWS::Lambda::EventInvokeConfig").map(({ Properties }) => Properties);
    expect(invocations.find(({ FunctionName }) => FunctionName.Ref === id)).toMatchObject({
      MaximumRetryAttempts: 0,
      MaximumEventAgeInSeconds: 60,
    });
  });

  test("knows the table and the bus, and nothing of the identity provider", () => {
    const [, { Environment }] = delivery();
    const bus = Object.keys(staging).find((id) => staging[id]?.Type === "AWS::Events::EventBus");
    const table = Object.keys(staging).find((id) => staging[id]?.Type === "AWS::DynamoDB::GlobalTable");
    expect(Environment.Variables).toEqual({
      SVC_STAGE: "staging",
      TABLE_NAME: { Ref: table },
      EVENT_BUS_NAME: { Ref: bus },
      NOTICES: "1",
      SAVES_PAGE: "/.well-known/svc/saves",
    });
    expect(only(staging, "AWS::Events::EventBus").Properties.Name).toBe("svc-staging");
  });

  test("may empty the outbox, read accounts and tokens, put on its bus, and nothing else", () => {
    const statements = statementsOf("deliver-notices");
    expect(statements).toEqual([
      { actions: "xray:PutTelemetryRecords xray:PutTraceSegments", on: "*" },
      { actions: "logs:CreateLogStream logs:PutLogEvents", on: "FunctionLog" },
      { actions: "dynamodb:DeleteItem dynamodb:PutItem dynamodb:Query", on: "Table", keys: "OUTBOX#*" },
      { actions: "dynamodb:BatchGetItem", on: "Table", keys: "ACCOUNT#*" },
      { actions: "events:PutEvents", on: "NoticesBus" },
    ]);
  });

  test("has alarms for a failure, for no run, and for a notice that it has given up", () => {
    const alarms = Object.fromEntries(
      ofType(staging, "AWS::CloudWatch::Alarm").map(({ Properties }) => [Properties.AlarmName, Properties]),
    );
    const [id] = delivery();
    const ofDelivery = { Dimensions: [{ Name: "FunctionName", Value: { Ref: id } }] };
    expect(alarms["svc-staging-monitoring-NoticesFailing"]).toMatchObject({ MetricName: "Errors", ...ofDelivery });
    expect(alarms["svc-staging-monitoring-NoticesNotRunning"]).toMatchObject({
      Metrics: expect.arrayContaining([
        expect.objectContaining({
          MetricStat: expect.objectContaining({
            Metric: expect.objectContaining({ MetricName: "Invocations", ...ofDelivery }),
          }),
        }),
      ]),
      TreatMissingData: "missing",
      EvaluationPeriods: 3,
      DatapointsToAlarm: 3,
    });
    expect(alarms["svc-staging-monitoring-NoticesDeadLettered"]).toMatchObject({
      MetricName: "NoticesDeadLettered",
      Threshold: 1,
    });
  });

  test("starts with the variables of its deployment, and logs what it cannot reach", async () => {
    const names = Object.keys(delivery()[1].Environment.Variables);
    const bundle = `file://${bundleFolderOf("deliver-notices")}/index.mjs`;
    const program = `
      const { handler } = await import(process.argv[1]);
      if (handler.length > 2) throw new Error("Lambda refuses a third parameter");
      await handler({}, { awsRequestId: "run", getRemainingTimeInMillis: () => 50_000 }).catch(({ name }) => console.log(name));`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", program, bundle], {
      env: {
        ...Object.fromEntries(names.map((name) => [name, "value"])),
        DYNAMODB_ENDPOINT: "http://127.0.0.1:9",
        AWS_REGION: "us-east-1",
        AWS_ACCESS_KEY_ID: "ASIAEXAMPLE",
        AWS_SECRET_ACCESS_KEY: "secret",
      },
    });
    const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
    expect({ output, errors }).toEqual({ output: "StorageUnavailableError\n", errors: "" });
  });
});

test("a stage without notices has neither bus, queue nor function of them, no alarm, and tells its functions", () => {
  const without = synthesise("staging", { notices: false, mailFrom: "svc <no-reply@example.com>" });
  const texts = Object.entries(without).map(([id, resource]) => `${id} ${JSON.stringify(resource)}`);
  expect(texts.filter((text) => /EventBus|deliver-|mail-notice|Notices|Mails|ebhook/.test(text))).toEqual([]);
  const told = ofType(without, "AWS::Lambda::Function").flatMap(({ Properties }) =>
    Properties.FunctionName ? [Properties.Environment.Variables.LEFT_OUT_OPTIONS] : [],
  );
  expect(new Set(told)).toEqual(new Set(["notices"]));
  expect(JSON.stringify(staging)).not.toContain("LEFT_OUT_OPTIONS");
});

test("a stage that approves developers mails its operator that somebody asks, and no other stage does", () => {
  const telling = (resources: typeof staging) =>
    ofType(resources, "AWS::Events::Rule").filter(({ Properties }) =>
      Properties.EventPattern?.["detail-type"].includes("developer_requested"),
    );
  expect(telling(staging)).toEqual([]);
  const approving = synthesise("staging", { developers: { approval: true } });
  const [rule, ...more] = telling(approving);
  expect(more).toEqual([]);
  const { EventBusName, EventPattern, Targets } = rule?.Properties ?? {};
  expect(approving[EventBusName.Ref]?.Properties.Name).toBe("svc-staging");
  expect(EventPattern).toEqual({ source: ["svc"], "detail-type": ["developer_requested"] });
  expect(approving[Targets[0].Arn.Ref]?.Properties.DisplayName).toBe("svc staging");
  expect(Targets[0].InputTransformer).toEqual({
    InputPathsMap: { "detail-account-uid": "$.detail.account.uid" },
    InputTemplate: expect.stringMatching(
      /^"The account <detail-account-uid> asks .* --stage staging show waiting.*approve account UID/,
    ),
  });
  const policies = JSON.stringify(ofType(approving, "AWS::SNS::TopicPolicy"));
  expect(policies).toContain('"Service":"events.amazonaws.com"');
  expect(
    ofType(synthesise("staging", { notices: false, developers: { approval: true } }), "AWS::Events::EventBus"),
  ).toEqual([]);
});
