import { Duration, Stack } from "aws-cdk-lib";
import { Stats } from "aws-cdk-lib/aws-cloudwatch";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { SqsEventSource } from "aws-cdk-lib/aws-lambda-event-sources";
import type { Bucket, CfnBucket } from "aws-cdk-lib/aws-s3";
import { type CfnQueuePolicy, Queue, type QueuePolicy } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import {
  checkKey,
  checksPrefix,
  factsKey,
  fileKey,
  filesPrefix,
  foundKey,
  foundPrefix,
  manifestKey,
} from "../../functions/files/object-keys.ts";
import { stageVariables } from "../lambda/function-environment.ts";
import { FunctionRole } from "../lambda/function-roles.ts";
import { acknowledgeTraces, type FunctionParts, functionSettings } from "../lambda/function-settings.ts";
import { type AlarmDefinition, period } from "../monitoring/alarm-definition.ts";
import { acknowledgeObjects } from "../storage/bucket.ts";

interface CopiesProps extends Omit<FunctionParts, "table"> {
  readonly bucket: Bucket;
}

const timeout = Duration.minutes(3);
/** A message comes again when the function that took it must have ended. */
const visibilityTimeout = timeout.plus(Duration.seconds(10));
const attempts = 5;

/**
 * The function that unpacks copies (docs/decisions/0073-deltas.md), and what starts it: the bucket's events. Requests of the service have a queue
 * of their own, so that a publication does not wait behind the files that others send. The function reads objects and writes what it found
 * out; it reaches no table.
 */
export class Copies extends Construct {
  readonly lambda: LambdaFunction;
  /** Events for which the function has failed each time. */
  readonly deadLetters: Queue;
  readonly requests: Queue;

  constructor(scope: Construct, id: string, { bucket, ...parts }: CopiesProps) {
    super(scope, id);
    const { stage, logGroup } = parts;
    this.deadLetters = new Queue(this, "DeadLetters", { retentionPeriod: Duration.days(14), enforceSSL: true });
    this.requests = this.queue("Requests");
    const arrivals = this.queue("Arrivals");
    this.lambda = new LambdaFunction(this, "Function", {
      ...functionSettings(parts, new FunctionRole(this)),
      functionName: `svc-${stage.name}-check-copies`,
      description: "Unpacks copies that have arrived and compares them with their files",
      // One whole processor, and a dictionary of 128 MiB with its window.
      memorySize: 1_769,
      timeout,
      environment: { ...stageVariables(stage), BUCKET_NAME: bucket.bucketName },
    });
    this.lambda.addEventSource(
      new SqsEventSource(this.requests, { batchSize: 1, maxConcurrency: 10, reportBatchItemFailures: true }),
    );
    this.lambda.addEventSource(
      new SqsEventSource(arrivals, {
        batchSize: 1_000,
        maxBatchingWindow: Duration.seconds(1),
        maxConcurrency: 4,
        reportBatchItemFailures: true,
      }),
    );
    this.allow(["logs:CreateLogStream", "logs:PutLogEvents"], [logGroup.logGroupArn]);
    acknowledgeTraces(this);
    this.allowObjects(bucket);
    notify(bucket, [
      { prefix: "checks/", queue: this.requests },
      { prefix: "projects/", queue: arrivals },
    ]);
  }

  private queue(id: string): Queue {
    const deadLetterQueue = { queue: this.deadLetters, maxReceiveCount: attempts };
    return new Queue(this, id, { visibilityTimeout, deadLetterQueue, enforceSSL: true });
  }

  private allowObjects(bucket: Bucket): void {
    const read = [fileKey("*", "*"), manifestKey("*", "*"), checkKey("*", "*", "*")];
    const written = [factsKey("*", "*"), foundKey("*", "*", "*")];
    this.allow(
      ["s3:GetObject"],
      [...read, ...written].map((key) => bucket.arnForObjects(key)),
    );
    this.allow(
      ["s3:PutObject"],
      written.map((key) => bucket.arnForObjects(key)),
    );
    acknowledgeObjects(this, bucket, [...read, ...written], "It checks the copies of every project.");
    this.lambda.addToRolePolicy(
      new PolicyStatement({
        actions: ["s3:ListBucket"],
        resources: [bucket.bucketArn],
        conditions: { StringLike: { "s3:prefix": [filesPrefix("*"), checksPrefix("*"), foundPrefix("*", "*")] } },
      }),
    );
  }

  private allow(actions: readonly string[], resources: string[]): void {
    this.lambda.addToRolePolicy(new PolicyStatement({ actions: [...actions], resources }));
  }
}

/**
 * Sends events of new objects below each prefix to a queue. The bucket has no name before it is made, so its account is the condition of the
 * queues' policies, which must be there before.
 */
function notify(bucket: Bucket, targets: readonly { readonly prefix: string; readonly queue: Queue }[]): void {
  const resource = bucket.node.defaultChild as CfnBucket;
  for (const { queue } of targets) {
    queue.addToResourcePolicy(
      new PolicyStatement({
        actions: ["sqs:SendMessage"],
        principals: [new ServicePrincipal("s3.amazonaws.com")],
        resources: [queue.queueArn],
        conditions: { StringEquals: { "aws:SourceAccount": Stack.of(bucket).account } },
      }),
    );
    resource.addResourceDependency((queue.node.findChild("Policy") as QueuePolicy).node.defaultChild as CfnQueuePolicy);
  }
  resource.notificationConfiguration = {
    queueConfigurations: targets.map(({ prefix, queue }) => ({
      event: "s3:ObjectCreated:*",
      queue: queue.queueArn,
      filter: { s3Key: { rules: [{ name: "prefix", value: prefix }] } },
    })),
  };
}

/** The alarms of what checks copies: until they are checked, players load files without them. */
export function copyAlarms({ deadLetters, requests }: Copies): AlarmDefinition[] {
  return [
    {
      name: "ChecksWaiting",
      metric: requests.metricApproximateAgeOfOldestMessage({ period, statistic: Stats.MAXIMUM }),
      threshold: 300,
      description: "A release waits for five minutes for the check of its copies; players load files without them.",
    },
    {
      name: "ChecksDeadLettered",
      metric: deadLetters.metricApproximateNumberOfMessagesVisible({ period, statistic: Stats.MAXIMUM }),
      description: "Copies could not be checked five times; the sweep asks again once a day.",
    },
  ];
}
