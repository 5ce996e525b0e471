import { Duration, RemovalPolicy, Validations } from "aws-cdk-lib";
import { AnyPrincipal, type Conditions, Effect, PolicyStatement } from "aws-cdk-lib/aws-iam";
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  HttpMethods,
  type IBucket,
  ObjectOwnership,
  StorageClass,
} from "aws-cdk-lib/aws-s3";
import type { Construct } from "constructs";
import { limits } from "../contract/limits.ts";
import type { Stage } from "./stage.ts";

/**
 * The bucket of published files and manifests. It is not versioned: an object's key has the SHA-256 of its content, S3
 * refuses other bytes under it, and what the sweeper deletes nobody needs, so there is never an earlier version to keep.
 */
export function createBucket(scope: Construct, stage: Stage): Bucket {
  const closed = {
    removalPolicy: stage.disposable ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    encryption: BucketEncryption.S3_MANAGED,
    enforceSSL: true,
    minimumTLSVersion: 1.2,
    objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
  };
  const accessLog = new Bucket(scope, "FilesAccessLog", {
    ...closed,
    lifecycleRules: [{ expiration: Duration.days(stage.logRetentionDays) }],
  });
  Validations.of(accessLog).acknowledge({
    id: "AwsSolutions-S1",
    reason: "It is the log of the other bucket; a log of reading the log would grow from itself.",
  });
  const files = new Bucket(scope, "Files", {
    ...closed,
    versioned: false,
    // CDK's declarations do not stand exactOptionalPropertyTypes: a Bucket is an IBucket.
    serverAccessLogsBucket: accessLog as IBucket,
    cors: [
      // A page reads files through a redirect of the API to S3, from whatever origin the page has.
      { allowedMethods: [HttpMethods.GET, HttpMethods.HEAD], allowedOrigins: ["*"], maxAge: 86_400 },
      ...uploadsFrom(stage.webOrigins),
    ],
    lifecycleRules: [{ abortIncompleteMultipartUploadAfter: Duration.days(1) }, paysForUse],
  });
  for (const statement of writesOnce(files)) files.addToResourcePolicy(statement);
  return files;
}

/**
 * Whoever writes must send `If-None-Match`, so that no permission of a function, and no presigned URL, can replace what an
 * object holds (https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes-enforce.html). No part of the
 * service uploads in parts, and S3 evaluates no condition for them, so they are denied. A signature is older than an hour
 * only where a presigned URL was kept.
 */
function writesOnce(files: Bucket): PolicyStatement[] {
  const deny = (sid: string, action: string, conditions: Conditions) =>
    new PolicyStatement({
      sid,
      effect: Effect.DENY,
      principals: [new AnyPrincipal()],
      actions: [action],
      resources: [files.arnForObjects("*")],
      conditions,
    });
  return [
    deny("WriteOnce", "s3:PutObject", { Null: { "s3:if-none-match": "true" } }),
    deny("SignedWithinTheHour", "s3:PutObject", {
      NumericGreaterThan: { "s3:signatureAge": limits.uploadUrlLifetimeSeconds * 1_000 },
    }),
    // A DELETE that the sweeper has sent must not arrive after its lease.
    deny("DeletedWithinTheMinute", "s3:DeleteObject", { NumericGreaterThan: { "s3:signatureAge": 60_000 } }),
  ];
}

/**
 * No rule of the bucket deletes a file, because only the manifests say which files are still needed: the sweeper deletes
 * them (docs/decisions/0016-sweep.md). A file that nobody
 * reads moves to cheaper storage, at a sixth of the price in the end, and can be read at any time as before. S3 does not
 * move files below 128 KiB.
 */
const paysForUse = {
  transitions: [{ storageClass: StorageClass.INTELLIGENT_TIERING, transitionAfter: Duration.days(30) }],
};

/** A page uploads with the headers that its upload URL signs. The CLI sends no Origin and needs no rule. */
function uploadsFrom(origins: readonly string[]) {
  if (origins.length === 0) return [];
  return [
    {
      allowedMethods: [HttpMethods.PUT],
      allowedOrigins: [...origins],
      allowedHeaders: ["content-type", "if-none-match", "x-amz-checksum-sha256"],
      maxAge: 86_400,
    },
  ];
}
