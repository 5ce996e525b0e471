import { Duration } from "aws-cdk-lib";
import type { Bucket } from "aws-cdk-lib/aws-s3";
import { Construct } from "constructs";
import {
  checkKey,
  factsKey,
  factsPrefix,
  fileKey,
  filesPrefix,
  manifestKey,
  manifestsPrefix,
  packsPrefix,
  proofKey,
  proofsPrefix,
} from "../../functions/files/object-keys.ts";
import { sweepPartition } from "../../functions/table/keys.ts";
import { type FunctionParts, onlyPartitions } from "../lambda/function-settings.ts";
import { acknowledgeObjects } from "../storage/bucket.ts";
import { ScheduledFunction } from "./scheduled-function.ts";

export const sweepEvery = Duration.minutes(15);

interface SweepProps extends FunctionParts {
  readonly bucket: Bucket;
}

/**
 * The function that deletes what no kept release of a project needs (docs/decisions/0016-sweep.md). It alone may delete
 * objects but packs, and it reads no file. It may scan the table, and change only the items of projects, the ledgers and its own item.
 */
export class Sweep extends Construct {
  readonly sweeper: ScheduledFunction;

  constructor(scope: Construct, id: string, { bucket, ...parts }: SweepProps) {
    super(scope, id);
    const { stage, table } = parts;
    const { keptReleases, keptReleaseDays } = stage;
    this.sweeper = new ScheduledFunction(this, "Sweeper", {
      ...parts,
      name: "sweep",
      description: "Deletes what no kept release of a project needs",
      every: sweepEvery,
      memorySize: 1_024,
      timeout: Duration.minutes(14),
      environment: {
        BUCKET_NAME: bucket.bucketName,
        ...(keptReleases && { KEPT_RELEASES: String(keptReleases) }),
        ...(keptReleaseDays && { KEPT_DAYS: String(keptReleaseDays) }),
      },
    });
    const actions = [
      "BatchGetItem",
      "BatchWriteItem",
      "ConditionCheckItem",
      "DeleteItem",
      "PutItem",
      "Query",
      "UpdateItem",
    ];
    this.sweeper.allow(
      actions.map((action) => `dynamodb:${action}`),
      [table.tableArn],
      onlyPartitions("PROJECT", "LEDGER", sweepPartition),
    );
    this.sweeper.allow(["dynamodb:Scan"], [table.tableArn]);
    const prefixes = [filesPrefix("*"), manifestsPrefix("*"), factsPrefix("*"), packsPrefix("*"), proofsPrefix("*")];
    this.sweeper.allow(["s3:ListBucket"], [bucket.bucketArn], { StringLike: { "s3:prefix": prefixes } });
    // Lists of uploads have no condition on their prefix.
    this.sweeper.allow(["s3:ListBucketMultipartUploads"], [bucket.bucketArn]);
    this.allowOnObjects(bucket, fileKey("*", "*"), ["s3:AbortMultipartUpload", "s3:DeleteObject"]);
    this.allowOnObjects(bucket, proofKey("*", "*", "*"), ["s3:AbortMultipartUpload", "s3:DeleteObject"]);
    this.allowOnObjects(bucket, `${packsPrefix("*")}*/*/*`, ["s3:DeleteObject"]);
    this.allowOnObjects(bucket, manifestKey("*", "*"), ["s3:DeleteObject", "s3:GetObject"]);
    this.allowOnObjects(bucket, factsKey("*", "*"), ["s3:DeleteObject", "s3:GetObject"]);
    this.allowOnObjects(bucket, checkKey("*", "*", "*"), ["s3:PutObject"]);
  }

  private allowOnObjects(bucket: Bucket, keys: string, actions: readonly string[]): void {
    this.sweeper.allow(actions, [bucket.arnForObjects(keys)]);
    acknowledgeObjects(this, bucket, [keys], "It sweeps every project.");
  }
}
