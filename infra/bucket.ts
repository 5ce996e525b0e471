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
 * The bucket of published files and manifests. It is not versioned: an object's key holds the SHA-256 of its content
 * and S3 refuses other bytes under it, no function may delete, and so no earlier version is ever worth keeping.
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
      // Games read their files through a redirect from the API, so from whatever origin shows the game.
      { allowedMethods: [HttpMethods.GET, HttpMethods.HEAD], allowedOrigins: ["*"], maxAge: 86_400 },
      ...uploadsFrom(stage.webOrigins),
    ],
    lifecycleRules: [{ abortIncompleteMultipartUploadAfter: Duration.days(1) }, paysForUse],
  });
}

/**
 * Files of releases that were given up are kept, as those of old releases are: a later publication of the same file finds
 * it there, and only the manifests know which are still wanted. What nobody reads gets cheap instead, a sixth in
 * the end, and stays at hand; what somebody reads again is back at once. S3 leaves files below 128 KiB as they are.
 */
const paysForUse = {
  transitions: [{ storageClass: StorageClass.INTELLIGENT_TIERING, transitionAfter: Duration.days(30) }],
};

/** A page uploads with the headers that its address signs; the CLI sends no Origin and needs no rule. */
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
