import { Stack } from "aws-cdk-lib";
import {
  Alarm,
  type AlarmBase,
  AlarmRule,
  AlarmState,
  ComparisonOperator,
  CompositeAlarm,
  type IMetric,
  TreatMissingData,
} from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Topic } from "aws-cdk-lib/aws-sns";
import { EmailSubscription } from "aws-cdk-lib/aws-sns-subscriptions";
import type { Construct } from "constructs";
import { tellOfCertificates } from "../hosts/certificates.ts";
import type { Stage } from "../settings/stage.ts";
import type { AlarmDefinition } from "./alarm-definition.ts";
import { alarmArns, alarmPrefix } from "./monitoring-names.ts";

/**
 * A topic whose messages are mailed to the stage's `alarmEmail`, for the alarms of one region (`stage.region`): they can only tell a topic
 * there. It also tells of certificates.
 */
export function createTopic(scope: Construct, stage: Stage, certificates: readonly string[]): Topic {
  const topic = new Topic(scope, "Topic", { displayName: `svc ${stage.name}`, enforceSSL: true });
  topic.addToResourcePolicy(alarmsMayPublish(topic, stage));
  topic.addSubscription(new EmailSubscription(stage.alarmEmail));
  tellOfCertificates(scope, topic, certificates);
  return topic;
}

interface RaisedAlarms {
  readonly topic: Topic;
  readonly definitions: readonly AlarmDefinition[];
  /** Beginning of their names. */
  readonly prefix: string;
}

/** Makes the alarms, which tell the topic when they begin and when they are over. */
export function raiseAlarms(scope: Construct, { topic, definitions, prefix }: RaisedAlarms): AlarmBase[] {
  const action = new SnsAction(topic);
  return definitions.map((definition) => {
    const alarm = createAlarm(scope, prefix, definition);
    alarm.addAlarmAction(action);
    alarm.addOkAction(action);
    if (definition.reportsMissingData) alarm.addInsufficientDataAction(action);
    return alarm;
  });
}

function createAlarm(scope: Construct, prefix: string, definition: AlarmDefinition): AlarmBase {
  const { name, row = name, metric, shortWindow, description } = definition;
  const alarmDescription = `${description} See "${row}" in docs/operations/looking.md.`;
  if (shortWindow === undefined) return alarmOf(metric, name);
  const both = [alarmOf(metric, `${name}LongWindow`), alarmOf(shortWindow, `${name}ShortWindow`)];
  return new CompositeAlarm(scope, name, {
    compositeAlarmName: `${prefix}-${name}`,
    alarmDescription,
    alarmRule: AlarmRule.allOf(...both.map((alarm) => AlarmRule.fromAlarm(alarm, AlarmState.ALARM))),
  });

  function alarmOf(watched: IMetric, id: string): Alarm {
    const { threshold = 1, ofThree = 1, reportsMissingData } = definition;
    return new Alarm(scope, id, {
      alarmName: `${prefix}-${id}`,
      alarmDescription,
      metric: watched,
      threshold,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: ofThree === 1 ? 1 : 3,
      datapointsToAlarm: ofThree,
      treatMissingData: reportsMissingData ? TreatMissingData.MISSING : TreatMissingData.NOT_BREACHING,
    });
  }
}

/** A topic with a policy accepts messages only from the services in it, so it must name CloudWatch: its alarms of the stage and of the stack. */
function alarmsMayPublish(topic: Topic, stage: Stage): PolicyStatement {
  const stageName = alarmPrefix(stage);
  const { stackName } = Stack.of(topic);
  // Alarms that somebody adds are named after the stack.
  const prefixes = `${stackName}-`.startsWith(`${stageName}-`) ? [stageName] : [stageName, stackName];
  const names = prefixes.map((prefix) => alarmArns(stage, `${prefix}-*`));
  return new PolicyStatement({
    principals: [new ServicePrincipal("cloudwatch.amazonaws.com")],
    actions: ["sns:Publish"],
    resources: [topic.topicArn],
    conditions: {
      StringEquals: { "aws:SourceAccount": stage.account },
      ArnLike: { "aws:SourceArn": names.length === 1 ? names[0] : names },
    },
  });
}
