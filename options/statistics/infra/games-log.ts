import { Duration, Stack, Validations } from "aws-cdk-lib";
import { CfnWorkGroup } from "aws-cdk-lib/aws-athena";
import type { Metric } from "aws-cdk-lib/aws-cloudwatch";
import type { ITableV2 } from "aws-cdk-lib/aws-dynamodb";
import { CfnDatabase, CfnTable } from "aws-cdk-lib/aws-glue";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import { Bucket } from "aws-cdk-lib/aws-s3";
import { Construct } from "constructs";
import { ScheduledFunction } from "../../../infra/background/scheduled-function.ts";
import { edgeRegion } from "../../../infra/hosts/domains.ts";
import { environmentOf } from "../../../infra/lambda/function-environment.ts";
import { type FunctionParts, onlyPartitions } from "../../../infra/lambda/function-settings.ts";
import { type AlarmDefinition, noRun, period } from "../../../infra/monitoring/alarm-definition.ts";
import { addressLogDays, type GamesDomain, type Stage } from "../../../infra/settings/stage.ts";
import { addOutput } from "../../../infra/stacks/output.ts";
import { acknowledgeObjects, closedBucket } from "../../../infra/storage/bucket.ts";
import { columnOf, logFields } from "../contract/log-fields.ts";
import { logBucketOutput, logPrefix } from "./log-names.ts";

interface GamesLogProps extends FunctionParts {
  readonly domain: GamesDomain;
  /** The distribution whose requests the log has. */
  readonly distributionId: string;
}

const resultsPrefix = "results";

/** Bytes that one query may read at most: a hundred million rows have about a gigabyte of these columns. */
const bytesAQuery = 100_000_000_000;

/** CloudFront delivers a row within an hour as a rule. */
const countEvery = Duration.minutes(30);

/**
 * The alarms of the function that counts plays.
 *
 * @param stopped counts its lines, one an hour, that say that the log lacks requests
 */
export function countAlarms(counter: IFunction, stopped: Metric): AlarmDefinition[] {
  return [
    {
      name: "CountFailing",
      metric: counter.metricErrors({ period }),
      description: "Plays could not be counted; the next run tries again.",
    },
    noRun({
      name: "CountNotRunning",
      lambda: counter,
      period: countEvery,
      description: "The function that counts plays has not run for 90 minutes.",
    }),
    {
      name: "AccessLogStopped",
      metric: stopped.with({ period: Duration.hours(1) }),
      description: "The access log of the games lacks more than half of the requests that CloudFront counted on a day.",
    },
  ];
}

export function trafficAlarm(reached: Metric): AlarmDefinition {
  return {
    name: "TrafficLimitReached",
    metric: reached,
    description: "A game is over the stage's limit of traffic. The log of count-plays says which.",
  };
}

/**
 * The access log of a stage's games, what queries it, and the function that counts plays (docs/decisions/0071-how-a-game-is-played.md).
 * The delivery to the bucket is a stack in us-east-1 (games-log-stack.ts). The function may query, read metrics, projects and releases, and change
 * statistics, and of a project its limit of traffic alone.
 */
export class GamesLog extends Construct {
  readonly counter: ScheduledFunction;

  constructor(scope: Construct, id: string, { domain, distributionId, ...parts }: GamesLogProps) {
    super(scope, id);
    const { stage, table } = parts;
    const bucket = this.bucket(stage);
    const name = `svc_${stage.name.replaceAll("-", "_")}`;
    this.catalog(name, bucket);
    const workGroup = this.workGroup(name, bucket);
    this.counter = new ScheduledFunction(this, "Counter", {
      ...parts,
      name: "count-plays",
      description: "Counts how games are played, from their access log",
      every: countEvery,
      memorySize: 256,
      timeout: Duration.minutes(14),
      environment: {
        GAMES_DOMAIN: domain.name,
        GAMES_DISTRIBUTION_ID: distributionId,
        ATHENA_DATABASE: name,
        ...environmentOf(stage, ["trafficLimits"]),
      },
    });
    this.allowCounting(table);
    this.allowQueries({ name, bucket, workGroup });
    addOutput(this, logBucketOutput, bucket.bucketArn, "Where the games' access log is");
  }

  private bucket(stage: Stage): Bucket {
    const { account } = stage;
    const bucket = new Bucket(this, "Bucket", {
      ...closedBucket(stage),
      lifecycleRules: [
        { expiration: Duration.days(addressLogDays(stage)) },
        { prefix: `${resultsPrefix}/`, expiration: Duration.days(1) },
        { abortIncompleteMultipartUploadAfter: Duration.days(1) },
      ],
    });
    // "Logs sent to Amazon S3" of the CloudWatch Logs User Guide.
    bucket.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal("delivery.logs.amazonaws.com")],
        actions: ["s3:PutObject"],
        resources: [bucket.arnForObjects(`${logPrefix}/*`)],
        conditions: {
          StringEquals: { "s3:x-amz-acl": "bucket-owner-full-control", "aws:SourceAccount": account },
          ArnLike: { "aws:SourceArn": `arn:aws:logs:${edgeRegion}:${account}:delivery-source:*` },
        },
      }),
    );
    Validations.of(bucket).acknowledge({
      id: "AwsSolutions-S1",
      reason: "It contains an access log; logging access to the log would make it grow for ever.",
    });
    return bucket;
  }

  /** The log as a table: Parquet whose columns are all text, by day. */
  private catalog(name: string, bucket: Bucket): void {
    const { account } = Stack.of(this);
    const location = `${bucket.s3UrlForObject(logPrefix)}`;
    const database = new CfnDatabase(this, "Database", { catalogId: account, databaseInput: { name } });
    const table = new CfnTable(this, "Table", {
      catalogId: account,
      databaseName: name,
      tableInput: {
        name: "access_log",
        tableType: "EXTERNAL_TABLE",
        parameters: {
          classification: "parquet",
          "projection.enabled": "true",
          "projection.day.type": "date",
          "projection.day.format": "yyyy/MM/dd",
          "projection.day.range": "2026/01/01,NOW",
          "storage.location.template": `${location}/\${day}`,
        },
        partitionKeys: [{ name: "day", type: "string" }],
        storageDescriptor: {
          columns: logFields.map((field) => ({ name: columnOf(field), type: "string" })),
          location,
          inputFormat: "org.apache.hadoop.hive.ql.io.parquet.MapredParquetInputFormat",
          outputFormat: "org.apache.hadoop.hive.ql.io.parquet.MapredParquetOutputFormat",
          serdeInfo: { serializationLibrary: "org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe" },
        },
      },
    });
    table.addResourceDependency(database);
  }

  private workGroup(name: string, bucket: Bucket): string {
    new CfnWorkGroup(this, "WorkGroup", {
      name,
      recursiveDeleteOption: true,
      workGroupConfiguration: {
        enforceWorkGroupConfiguration: true,
        publishCloudWatchMetricsEnabled: true,
        bytesScannedCutoffPerQuery: bytesAQuery,
        resultConfiguration: {
          outputLocation: bucket.s3UrlForObject(`${resultsPrefix}/`),
          encryptionConfiguration: { encryptionOption: "SSE_S3" },
        },
      },
    });
    return Stack.of(this).formatArn({ service: "athena", resource: "workgroup", resourceName: name });
  }

  private allowCounting(table: ITableV2): void {
    const { counter } = this;
    const counted = ["dynamodb:BatchGetItem", "dynamodb:PutItem", "dynamodb:UpdateItem"];
    counter.allow(counted, [table.tableArn], onlyPartitions("STATISTICS", "TRAFFIC"));
    counter.allow(["dynamodb:BatchGetItem", "dynamodb:Query"], [table.tableArn], onlyPartitions("PROJECT"));
    counter.allow(["dynamodb:UpdateItem"], [table.tableArn], {
      ...onlyPartitions("PROJECT"),
      "ForAllValues:StringEquals": { "dynamodb:Attributes": ["PK", "SK", "ownerKey", "trafficLimit"] },
    });
    counter.allow(["dynamodb:PutItem"], [table.tableArn], onlyPartitions("OUTBOX", "POINTER"));
    // CloudWatch has no resource for one metric.
    counter.allow(["cloudwatch:GetMetricStatistics"], ["*"]);
  }

  /** Athena reads the catalog and the log, and writes its results, with the rights of who asks it. */
  private allowQueries({
    name,
    bucket,
    workGroup,
  }: {
    readonly name: string;
    readonly bucket: Bucket;
    readonly workGroup: string;
  }): void {
    const { counter } = this;
    const queries = ["GetQueryExecution", "GetQueryResults", "StartQueryExecution"];
    counter.allow(
      queries.map((action) => `athena:${action}`),
      [workGroup],
    );
    const glue = (resource: string, resourceName?: string) =>
      Stack.of(this).formatArn({ service: "glue", resource, ...(resourceName !== undefined && { resourceName }) });
    counter.allow(
      ["glue:GetDatabase", "glue:GetPartitions", "glue:GetTable"],
      [glue("catalog"), glue("database", name), glue("table", `${name}/access_log`)],
    );
    counter.allow(["s3:GetBucketLocation", "s3:ListBucket"], [bucket.bucketArn]);
    counter.allow(["s3:GetObject"], [bucket.arnForObjects("*")]);
    counter.allow(["s3:AbortMultipartUpload", "s3:PutObject"], [bucket.arnForObjects(`${resultsPrefix}/*`)]);
    const reason = "Athena chooses the names of its results, and CloudFront those of the log's files.";
    acknowledgeObjects(this, bucket, ["*", `${resultsPrefix}/*`], reason);
  }
}
