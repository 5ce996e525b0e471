import { Duration, Validations } from "aws-cdk-lib";
import type { ITableV2 } from "aws-cdk-lib/aws-dynamodb";
import { type EventBus, Rule } from "aws-cdk-lib/aws-events";
import { SqsQueue } from "aws-cdk-lib/aws-events-targets";
import { type Conditions, PolicyStatement } from "aws-cdk-lib/aws-iam";
import { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { SqsEventSource } from "aws-cdk-lib/aws-lambda-event-sources";
import { Queue, type QueueProps } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { limits } from "../../../contract/api/limits.ts";
import { environmentOf } from "../../../infra/lambda/function-environment.ts";
import { FunctionRole } from "../../../infra/lambda/function-roles.ts";
import {
  acknowledgeTraces,
  type FunctionParts,
  functionSettings,
  onlyPartitions,
} from "../../../infra/lambda/function-settings.ts";
import type { Stage } from "../../../infra/settings/stage.ts";
import { noticeType } from "../contract/notice.ts";
import { releaseNoticeTypes } from "../contract/release-notices.ts";
import { recipientAttributes } from "../functions/keys.ts";

interface NoticeMailsProps extends FunctionParts {
  /** The sender: an address, with a name before it or without. */
  readonly from: string;
  readonly bus: EventBus;
}

/** A mail is tried this often, for as long as a notice is tried on the bus: a day. */
const retryEvery = Duration.minutes(5);
const attempts = limits.noticeRetrySeconds / retryEvery.toSeconds();

/**
 * Mails notices to the persons whom they are about (docs/notices.md): a rule puts them into a queue, from which a function takes
 * them. What cannot be mailed for a day goes to a dead-letter queue. The function may read addresses and count mails, and send
 * from one address.
 */
export class NoticeMails extends Construct {
  readonly lambda: LambdaFunction;
  /** Those that could not be mailed for a day. */
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, { from, bus, ...parts }: NoticeMailsProps) {
    super(scope, id);
    const { stage, table, logGroup } = parts;
    this.deadLetters = this.queue("DeadLetters", { retentionPeriod: Duration.days(14) });
    const queue = this.queue("Queue", {
      visibilityTimeout: retryEvery,
      retentionPeriod: Duration.days(4),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: attempts },
    });
    const rule = new Rule(this, "Rule", {
      description: "Notices that are mailed",
      eventBus: bus,
      eventPattern: { source: ["svc"], detailType: mailedTypes(stage), detail: { version: [1] } },
    });
    rule.addTarget(new SqsQueue(queue, { deadLetterQueue: this.deadLetters }));
    this.lambda = new LambdaFunction(this, "Function", {
      ...functionSettings(parts, new FunctionRole(this)),
      functionName: `svc-${stage.name}-mail-notice`,
      description: "Mails a notice to the person whom it is about",
      memorySize: 512,
      timeout: Duration.seconds(45),
      environment: {
        ...environmentOf(stage, ["issuer", "dashboardOrigin", "reportUrl"]),
        TABLE_NAME: table.tableName,
        MAIL_FROM: from,
      },
    });
    this.lambda.addEventSource(new SqsEventSource(queue, { batchSize: 1, maxConcurrency: 2 }));
    this.allow(["logs:CreateLogStream", "logs:PutLogEvents"], [logGroup.logGroupArn]);
    this.allowTable(table);
    this.allowSending(stage, from);
    acknowledgeTraces(this);
  }

  private queue(id: string, settings: QueueProps): Queue {
    return new Queue(this, id, { ...settings, enforceSSL: true });
  }

  /** No policy can name a sort key, but attributes: of an account it reads the address, and no token's hash. */
  private allowTable({ tableArn }: ITableV2): void {
    this.allow(["dynamodb:BatchGetItem"], [tableArn], {
      ...onlyPartitions("ACCOUNT", "MAILS"),
      "ForAllValues:StringEquals": { "dynamodb:Attributes": [...recipientAttributes] },
      StringEqualsIfExists: { "dynamodb:Select": "SPECIFIC_ATTRIBUTES" },
    });
    this.allow(["dynamodb:UpdateItem"], [tableArn], onlyPartitions("MAILS"));
  }

  /**
   * SES judges by the identity that is verified, the address or its domain, and in the sandbox by the recipient's as well
   * (aws/aws-sdk-js#3641). So the sender is a condition, and the resource every identity of the account.
   */
  private allowSending({ region, account }: Stage, from: string): void {
    const identities = `arn:aws:ses:${region}:${account}:identity/*`;
    this.allow(["ses:SendEmail"], [identities], { StringEquals: { "ses:FromAddress": addressIn(from) } });
    Validations.of(this).acknowledge({
      id: `AwsSolutions-IAM5[Resource::${identities}]`,
      reason: "In SES's sandbox the recipient's identity is checked too; the condition allows one sender alone.",
    });
  }

  private allow(actions: readonly string[], resources: string[], conditions: Conditions = {}): void {
    this.lambda.addToRolePolicy(new PolicyStatement({ actions: [...actions], resources, conditions }));
  }
}

function mailedTypes({ releaseMails = true }: Stage): string[] {
  return noticeType.options.filter((type) => releaseMails || !releaseNoticeTypes.includes(type));
}

/** The address of `name <address>`, or of an address alone. */
function addressIn(from: string): string {
  return /<(.+)>$/.exec(from)?.[1] ?? from;
}
