import { Duration, RemovalPolicy, Validations } from "aws-cdk-lib";
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
import type { Stage } from "./stage.ts";

/**
 * The bucket of published files and manifests. It is not versioned: an object's key has the SHA-256 of its content, S3
 * refuses other bytes under it, and no function may delete it, so there is never an earlier version to keep.
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
  return new Bucket(scope, "Files", {
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
}

/**
 * No file is deleted, because only the manifests say which files are still needed (docs/decisions/0008). A file that nobody
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
      allowedHeaders: ["content-type", "x-amz-checksum-sha256"],
      maxAge: 86_400,
    },
  ];
}
