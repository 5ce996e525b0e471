import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { expect, test } from "@jest/globals";
import { bundleFolderOf } from "../../../infra/bundle.ts";
import { ofType, type Resource, statementsOfRoles, synthesise } from "../../../test/support/synthesis.ts";
import { noticeType } from "../contract/notice.ts";

const withMails = synthesise("staging", { mailFrom: "svc <no-reply@example.com>" });

function idOf(type: string, name: RegExp): string {
  const found = Object.entries(withMails).find(([id, { Type }]) => Type === type && name.test(id));
  if (found === undefined) throw new Error(`No ${type} ${name}`);
  return found[0];
}

const queue = idOf("AWS::SQS::Queue", /^NoticeMailsQueue/);
const deadLetters = idOf("AWS::SQS::Queue", /^NoticeMailsDeadLetters/);
const functionId = idOf("AWS::Lambda::Function", /^NoticeMailsFunction/);
const mailer = withMails[functionId]?.Properties;
const arnOf = (id: string) => ({ "Fn::GetAtt": [id, "Arn"] });

test("a stage without the setting has nothing of it", () => {
  const without = synthesise("staging");
  const added = Object.keys(withMails).filter((id) => !(id in without));
  expect(added.every((id) => /^NoticeMails|^Mails|^FunctionLogMailsRefused/.test(id))).toBe(true);
  // Beside the additions, the dashboard of CloudWatch shows another alarm.
  const changed = Object.keys(without).filter((id) => JSON.stringify(without[id]) !== JSON.stringify(withMails[id]));
  expect(changed.map((id) => without[id]?.Type)).toEqual(["AWS::CloudWatch::Dashboard"]);
});

test("the rule puts notices into the queue, and what it cannot put there becomes a dead letter", () => {
  const [rule] = ofType(withMails, "AWS::Events::Rule").filter(({ Properties }) => Properties.EventPattern);
  expect(rule?.Properties).toMatchObject({
    EventBusName: { Ref: idOf("AWS::Events::EventBus", /./) },
    EventPattern: {
      source: ["svc"],
      "detail-type": [...noticeType.options],
      detail: { version: [1] },
    },
    Targets: [{ Arn: arnOf(queue), DeadLetterConfig: { Arn: arnOf(deadLetters) } }],
  });
});

test("a stage without mails about releases puts all other notices into the queue", () => {
  const stage = synthesise("staging", { mailFrom: "svc <no-reply@example.com>", releaseMails: false });
  const [rule] = ofType(stage, "AWS::Events::Rule").filter(({ Properties }) => Properties.EventPattern);
  const types: unknown = rule?.Properties.EventPattern["detail-type"];
  const ofReleases = ["project_releases_changed", "release_crashes_more"];
  expect(types).toEqual(noticeType.options.filter((type) => !ofReleases.includes(type)));
});

test("a mail is tried every five minutes for a day, one at a time, and then kept for 14 days", () => {
  expect(withMails[queue]?.Properties).toEqual({
    VisibilityTimeout: 300,
    MessageRetentionPeriod: 4 * 86_400,
    RedrivePolicy: { deadLetterTargetArn: arnOf(deadLetters), maxReceiveCount: 288 },
  });
  expect(withMails[deadLetters]?.Properties).toEqual({ MessageRetentionPeriod: 14 * 86_400 });
  const sources = ofType(withMails, "AWS::Lambda::EventSourceMapping").map(({ Properties }) => Properties);
  expect(sources.filter(({ FunctionName }) => FunctionName.Ref === functionId)).toHaveLength(1);
  expect(sources.find(({ FunctionName }) => FunctionName.Ref === functionId)).toMatchObject({
    EventSourceArn: arnOf(queue),
    BatchSize: 1,
    ScalingConfig: { MaximumConcurrency: 2 },
  });
  // AWS asks for six times the function's time-out.
  expect(mailer.Timeout * 6).toBeLessThanOrEqual(300);
});

test("nobody puts messages into the queues but the rule, and nobody without TLS", () => {
  const statements = Object.entries(withMails).flatMap(([id, { Type, Properties }]) =>
    Type === "AWS::SQS::QueuePolicy" && id.startsWith("NoticeMails") ? Properties.PolicyDocument.Statement : [],
  );
  const rule = arnOf(idOf("AWS::Events::Rule", /^NoticeMailsRule/));
  expect(statements.filter(({ Effect }) => Effect === "Allow")).toEqual(
    [deadLetters, queue].map((id) =>
      expect.objectContaining({
        Principal: { Service: "events.amazonaws.com" },
        Resource: arnOf(id),
        Condition: { ArnEquals: { "aws:SourceArn": rule } },
      }),
    ),
  );
  expect(statements.filter(({ Effect }) => Effect === "Deny")).toHaveLength(2);
});

test("the function may read addresses, count mails, send from its address, take from its queue, and nothing else", () => {
  const statements = statementsOfRoles(withMails)[mailer.Role["Fn::GetAtt"][0]];
  const table = arnOf(idOf("AWS::DynamoDB::GlobalTable", /./));
  expect(statements).toEqual([
    { Effect: "Allow", Action: ["xray:PutTelemetryRecords", "xray:PutTraceSegments"], Resource: "*" },
    {
      Effect: "Allow",
      Action: [
        "sqs:ChangeMessageVisibility",
        "sqs:DeleteMessage",
        "sqs:GetQueueAttributes",
        "sqs:GetQueueUrl",
        "sqs:ReceiveMessage",
      ],
      Resource: arnOf(queue),
    },
    {
      Effect: "Allow",
      Action: ["logs:CreateLogStream", "logs:PutLogEvents"],
      Resource: arnOf(idOf("AWS::Logs::LogGroup", /^FunctionLog/)),
    },
    {
      Effect: "Allow",
      Action: "dynamodb:BatchGetItem",
      Resource: table,
      Condition: {
        "ForAllValues:StringLike": { "dynamodb:LeadingKeys": ["ACCOUNT#*", "MAILS#*"] },
        "ForAllValues:StringEquals": {
          "dynamodb:Attributes": [
            "PK",
            "SK",
            "email",
            "emailVerified",
            "releaseMails",
            "suspension",
            "name",
            "hint",
            "ids",
          ],
        },
        StringEqualsIfExists: { "dynamodb:Select": "SPECIFIC_ATTRIBUTES" },
      },
    },
    {
      Effect: "Allow",
      Action: "dynamodb:UpdateItem",
      Resource: table,
      Condition: { "ForAllValues:StringLike": { "dynamodb:LeadingKeys": ["MAILS#*"] } },
    },
    {
      Effect: "Allow",
      Action: "ses:SendEmail",
      // In the sandbox SES checks the recipient's identity too.
      Resource: "arn:aws:ses:us-east-1:111111111111:identity/*",
      Condition: { StringEquals: { "ses:FromAddress": "no-reply@example.com" } },
    },
  ]);
});

test("a sender without a name is its own address", () => {
  const resources = synthesise("staging", { mailFrom: "no-reply@example.com" });
  const text = JSON.stringify(statementsOfRoles(resources));
  expect(text).toContain('{"StringEquals":{"ses:FromAddress":"no-reply@example.com"}}');
});

test("it has alarms for failures, for dead letters and for many refusals", () => {
  const alarms = Object.fromEntries(
    ofType(withMails, "AWS::CloudWatch::Alarm").map(({ Properties }) => [Properties.AlarmName, Properties]),
  );
  const failing = alarms["svc-staging-monitoring-MailsFailing"].Metrics.flatMap(
    ({ MetricStat }: Resource["Properties"]) =>
      MetricStat ? [[MetricStat.Metric.MetricName, MetricStat.Metric.Dimensions[0].Value.Ref]] : [],
  );
  expect(failing).toEqual([
    ["Errors", functionId],
    ["Throttles", functionId],
  ]);
  expect(alarms["svc-staging-monitoring-MailsDeadLettered"]).toMatchObject({
    MetricName: "ApproximateNumberOfMessagesVisible",
    Dimensions: [{ Name: "QueueName", Value: { "Fn::GetAtt": [deadLetters, "QueueName"] } }],
    Statistic: "Maximum",
    Threshold: 1,
  });
  expect(alarms["svc-staging-monitoring-MailsRefused"]).toMatchObject({ MetricName: "MailsRefused", Threshold: 10 });
  const [filter] = ofType(withMails, "AWS::Logs::MetricFilter").filter(
    ({ Properties }) => Properties.MetricTransformations[0].MetricName === "MailsRefused",
  );
  expect(filter?.Properties.FilterPattern).toBe('{ $.code = "mail_refused" }');
});

test("starts with the variables of its deployment, and logs what it cannot reach", async () => {
  expect(mailer.Environment.Variables).toEqual({
    SVC_STAGE: "staging",
    NOTICES: "1",
    SAVES_PAGE: "/.well-known/svc/saves",
    TABLE_NAME: { Ref: idOf("AWS::DynamoDB::GlobalTable", /./) },
    IDP_ISSUER: "https://securetoken.google.com/svc-staging",
    REPORT_URL: "mailto:svc-staging-abuse@example.com?subject=Report%20of%20{slug}",
    MAIL_FROM: "svc <no-reply@example.com>",
    DASHBOARD_ORIGIN: "https://dashboard.staging.example.com",
  });
  const bundle = `file://${bundleFolderOf("mail-notice")}/index.mjs`;
  const notice = { version: 1, id: "n", type: "token_created", at: "2026-03-01T04:30:12.345Z", account: { uid: "u" } };
  const program = `
    const { handler } = await import(process.argv[1]);
    if (handler.length > 2) throw new Error("Lambda refuses a third parameter");
    const Records = [{ body: process.argv[2] }];
    await handler({ Records }, { awsRequestId: "run" }).catch(({ message }) => console.log(message));`;
  const child = spawn(
    process.execPath,
    ["--input-type=module", "-e", program, bundle, JSON.stringify({ detail: notice })],
    {
      env: {
        ...Object.fromEntries(Object.keys(mailer.Environment.Variables).map((name) => [name, "value"])),
        DYNAMODB_ENDPOINT: "http://127.0.0.1:9",
        AWS_REGION: "us-east-1",
        AWS_ACCESS_KEY_ID: "ASIAEXAMPLE",
        AWS_SECRET_ACCESS_KEY: "secret",
      },
    },
  );
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  const [line = "", message] = output.trim().split("\n");
  expect({ code: JSON.parse(line).code, message, errors }).toEqual({
    code: "mail_failed",
    message: "A mail was not sent",
    errors: "",
  });
});
