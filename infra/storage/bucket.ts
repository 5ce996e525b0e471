import { type CfnElement, Duration, RemovalPolicy, Stack, Validations } from "aws-cdk-lib";
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
import type { Construct, IConstruct } from "constructs";
import { olderFileHeader } from "../../contract/api/headers.ts";
import { limits } from "../../contract/api/limits.ts";
import { passingPrefix } from "../../functions/files/object-keys.ts";
import type { FilesAddition } from "../option.ts";
import { addressLogDays, dashboardOf, type Stage } from "../settings/stage.ts";
import { playersUpload } from "../settings/stage-option.ts";

/** Properties of every bucket of a stage: only whom a policy allows reaches it, by TLS, and its objects are the account's. */
export function closedBucket({ disposable }: Stage) {
  return {
    // A first deployment that fails takes it away again: it holds nothing yet.
    removalPolicy: disposable ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    encryption: BucketEncryption.S3_MANAGED,
    enforceSSL: true,
    minimumTLSVersion: 1.2,
    objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
  };
}

/**
 * The bucket of published files and manifests. It is versioned only to be replicated: an object's key contains the SHA-256 of its
 * content, S3 refuses other bytes for that key, and nobody needs an object that the sweeper deletes.
 */
export function createBucket(scope: Construct, stage: Stage, additions: readonly FilesAddition[]): Bucket {
  const closed = closedBucket(stage);
  const accessLog = new Bucket(scope, "FilesAccessLog", {
    ...closed,
    // Each line has the address of who read or wrote: a person's, if the page or the command line uploaded.
    lifecycleRules: [{ expiration: Duration.days(addressLogDays(stage)) }],
  });
  Validations.of(accessLog).acknowledge({
    id: "AwsSolutions-S1",
    reason: "It contains the access log of the other bucket; logging access to the log would make it grow for ever.",
  });
  const files = new Bucket(scope, "Files", {
    ...closed,
    versioned: additions.length > 0,
    ...Object.assign({}, ...additions.map(({ settings }) => settings)),
    // CDK's types do not work with exactOptionalPropertyTypes: a Bucket is an IBucket.
    serverAccessLogsBucket: accessLog as IBucket,
    cors: [
      // Pages of every origin read files, through a redirect of the API to S3.
      { allowedMethods: [HttpMethods.GET, HttpMethods.HEAD], allowedOrigins: ["*"], maxAge: 86_400 },
      ...pagesOf(stage),
    ],
    lifecycleRules: [
      { abortIncompleteMultipartUploadAfter: Duration.days(1) },
      paysForUse,
      ...checkingIsOver,
      unpackingIsOver,
      passingIsOver,
      ...(additions.length > 0 ? [withoutVersions] : []),
    ],
  });
  for (const addition of additions) addition.allowFrom(files);
  for (const statement of writesOnce(files)) files.addToResourcePolicy(statement);
  return files;
}

/** The reason for cdk-nag why a role has a resource with a `*` for objects of a bucket. */
export function acknowledgeObjects(scope: IConstruct, bucket: Bucket, keys: readonly string[], reason: string): void {
  const logicalId = Stack.of(bucket).getLogicalId(bucket.node.defaultChild as CfnElement);
  for (const each of keys)
    Validations.of(scope).acknowledge({ id: `AwsSolutions-IAM5[Resource::<${logicalId}.Arn>/${each}]`, reason });
}

/**
 * Every write must have `If-None-Match`, so that no function and no presigned URL can replace an object's content
 * (https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes-enforce.html). Of a multipart upload that is
 * its completion; what comes before it creates no object. Signatures older than an hour are denied too:
 * no URL of the service is valid so long.
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
    deny("WriteOnce", "s3:PutObject", {
      Null: { "s3:if-none-match": "true" },
      Bool: { "s3:ObjectCreationOperation": "true" },
    }),
    deny("SignedWithinTheHour", "s3:PutObject", {
      NumericGreaterThan: { "s3:signatureAge": limits.uploadUrlLifetimeSeconds * 1_000 },
    }),
    // A DELETE of the sweeper must not arrive after its lease.
    deny("DeletedWithinTheMinute", "s3:DeleteObject", { NumericGreaterThan: { "s3:signatureAge": 60_000 } }),
  ];
}

/**
 * No rule of the bucket deletes a file, because only the manifests say which files are needed: the sweeper deletes the others
 * (docs/decisions/0016-sweep.md). A file that nobody reads moves to cheaper storage, in the end at a sixth of the price, and
 * can still be read at any time. S3 does not move files below 128 KiB.
 */
const paysForUse = {
  transitions: [{ storageClass: StorageClass.INTELLIGENT_TIERING, transitionAfter: Duration.days(30) }],
};

/** Requests to check copies, and what was found out before all had arrived: an open release expires after a week. */
const checkingIsOver = ["checks/", "found/"].map((prefix) => ({ prefix, expiration: Duration.days(8) }));

/** A pack is deleted when it is unpacked. What is left of a publication that was stopped, it sends again. */
const unpackingIsOver = { prefix: "packs/", expiration: Duration.days(1) };

/** What players send each other, and nobody fetched. */
const passingIsOver = { prefix: passingPrefix, expiration: Duration.days(1) };

/** Objects that the sweeper deletes are gone here a day later; the copy keeps them for longer. */
const withoutVersions = { noncurrentVersionExpiration: Duration.days(1), expiredObjectDeleteMarker: true };

/** The dashboard uploads, and downloads a release, with the headers that its URLs sign. The CLI sends no Origin and needs no rule. */
function pagesOf(stage: Stage) {
  const dashboard = dashboardOf(stage);
  // Its own distribution names this bucket, so this bucket cannot name that. Whoever has an upload URL may upload, from whatever page.
  const dashboardOrigins = dashboard && [
    dashboard.domain ? `https://${dashboard.domain.name}` : "https://*.cloudfront.net",
  ];
  const games = stage.gamesDomain && playersUpload(stage) ? [`https://*.${stage.gamesDomain.name}`] : [];
  const origins = [...new Set([...(dashboardOrigins ?? []), ...stage.webOrigins, ...games])];
  if (origins.length === 0) return [];
  return [
    {
      allowedMethods: [HttpMethods.PUT],
      allowedOrigins: origins,
      allowedHeaders: ["content-type", "if-none-match", "x-amz-checksum-sha256"],
      maxAge: 86_400,
    },
    { allowedMethods: [HttpMethods.GET], allowedOrigins: origins, allowedHeaders: [olderFileHeader], maxAge: 86_400 },
  ];
}
