import { type Metric, Stats } from "aws-cdk-lib/aws-cloudwatch";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import { type AlarmDefinition, noRun, period, sum } from "../../../infra/monitoring/alarm-definition.ts";
import type { NoticeMails } from "./notice-mails.ts";

/** The alarms of the function that delivers notices. */
export function noticeAlarms(delivery: IFunction, deadLetters: Metric): AlarmDefinition[] {
  return [
    {
      name: "NoticesFailing",
      metric: delivery.metricErrors({ period }),
      ofThree: 2,
      description: "The function that delivers notices fails for more than a moment; they wait.",
    },
    noRun({
      name: "NoticesNotRunning",
      lambda: delivery,
      period,
      description: "The function that delivers notices has not run for 15 minutes.",
    }),
    {
      name: "NoticesDeadLettered",
      metric: deadLetters,
      description: "The bus has refused a notice for a day, or its time cannot be read; it is not tried again.",
    },
  ];
}

/** The alarms of the function that tells webhooks. A webhook that fails is its project's matter. */
export function webhookAlarms(lambda: IFunction): AlarmDefinition[] {
  return [
    {
      name: "WebhooksFailing",
      metric: lambda.metricErrors({ period }),
      ofThree: 2,
      description: "The function that tells webhooks fails for more than a moment; what it sends waits.",
    },
    noRun({
      name: "WebhooksNotRunning",
      lambda,
      period,
      description: "The function that tells webhooks has not run for 15 minutes.",
    }),
  ];
}

/** The alarms of the function that mails notices. */
export function mailAlarms({ lambda, deadLetters }: NoticeMails, refused: Metric): AlarmDefinition[] {
  return [
    {
      name: "MailsFailing",
      metric: sum([lambda.metricErrors({ period }), lambda.metricThrottles({ period })]),
      ofThree: 2,
      description: "The function that mails notices fails for more than a moment; they wait.",
    },
    {
      name: "MailsDeadLettered",
      metric: deadLetters.metricApproximateNumberOfMessagesVisible({ period, statistic: Stats.MAXIMUM }),
      description: "A notice could not be mailed for a day; it is not tried again.",
    },
    {
      name: "MailsRefused",
      metric: refused,
      // A person's own address may be one that SES refuses; the stage's mistake makes it refuse all.
      threshold: 10,
      description: "SES has refused ten mails in five minutes; they are not tried again.",
    },
  ];
}
