import { expect, test } from "@jest/globals";
import { withGames } from "../../test/support/synthesis/settings.ts";
import { functionOf, ofType, only, permissionsOf, type Resource, synthesise } from "../../test/support/synthesis.ts";

const staging = synthesise("staging");

test("the table is on demand, restorable, protected from deletion, and deletes expired items", () => {
  expect(only(staging, "AWS::DynamoDB::GlobalTable")).toMatchObject({
    DeletionPolicy: "Retain",
    Properties: {
      BillingMode: "PAY_PER_REQUEST",
      TimeToLiveSpecification: { AttributeName: "ttl", Enabled: true },
      Replicas: [
        {
          Region: "us-east-1",
          DeletionProtectionEnabled: true,
          PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true, RecoveryPeriodInDays: 7 },
          ContributorInsightsSpecification: { Enabled: false },
        },
      ],
    },
  });
  expect(only(staging, "AWS::DynamoDB::GlobalTable").Properties).not.toHaveProperty("GlobalSecondaryIndexes");
});

test("the table takes 4,000 write units a second, and four for each request of a stage that lets more through", () => {
  const maximum = (changes: object) =>
    only(synthesise("staging", changes), "AWS::DynamoDB::GlobalTable").Properties.WriteOnDemandThroughputSettings;
  expect([{}, { requestsPerSecond: 90 }, { requestsPerSecond: 1_500 }].map(maximum)).toEqual([
    { MaxWriteRequestUnits: 4_000 },
    { MaxWriteRequestUnits: 4_000 },
    { MaxWriteRequestUnits: 6_000 },
  ]);
});

test("a restored table takes the place of the stack's own in environment, permissions and alarms", () => {
  const resources = synthesise("staging", { restoredTable: "svc-restored" });
  expect(ofType(resources, "AWS::DynamoDB::GlobalTable")).toEqual([]);
  const [, { Properties }] = functionOf(resources, "getMe");
  expect(Properties.Environment.Variables.TABLE_NAME).toBe("svc-restored");
  expect(permissionsOf(resources, "getMe")).toContain(
    "dynamodb:BatchGetItem arn:aws:dynamodb:us-east-1:111111111111:table/svc-restored",
  );
  const alarm = ofType(resources, "AWS::CloudWatch::Alarm").find(({ Properties: { AlarmName } }) =>
    AlarmName.endsWith("TableThrottling"),
  );
  expect(JSON.stringify(alarm)).toContain("svc-restored");
});

test("all buckets are private, encrypted, reached only over TLS, and not deleted with the stack", () => {
  const buckets = ofType(staging, "AWS::S3::Bucket");
  expect(buckets).toHaveLength(3);
  for (const bucket of buckets)
    expect(bucket).toMatchObject({
      // Only the rollback of its first creation deletes it.
      DeletionPolicy: "RetainExceptOnCreate",
      UpdateReplacePolicy: "Retain",
      Properties: {
        BucketEncryption: {
          ServerSideEncryptionConfiguration: [{ ServerSideEncryptionByDefault: { SSEAlgorithm: "AES256" } }],
        },
        PublicAccessBlockConfiguration: {
          BlockPublicAcls: true,
          BlockPublicPolicy: true,
          IgnorePublicAcls: true,
          RestrictPublicBuckets: true,
        },
      },
    });
  for (const { Properties } of ofType(staging, "AWS::S3::BucketPolicy"))
    expect(Properties.PolicyDocument.Statement).toContainEqual(
      expect.objectContaining({ Effect: "Deny", Condition: { Bool: { "aws:SecureTransport": "false" } } }),
    );
});

test("the bucket of files accepts only writes that create an object, with a signature of the last hour", () => {
  const statements = ofType(staging, "AWS::S3::BucketPolicy").flatMap(
    ({ Properties }) => Properties.PolicyDocument.Statement,
  );
  const denials = statements.filter(({ Effect, Action }) => Effect === "Deny" && Action === "s3:PutObject");
  expect(denials.map(({ Effect, Principal, Condition }) => ({ Effect, Principal, Condition }))).toEqual([
    {
      Effect: "Deny",
      Principal: { AWS: "*" },
      Condition: { Null: { "s3:if-none-match": "true" }, Bool: { "s3:ObjectCreationOperation": "true" } },
    },
    { Effect: "Deny", Principal: { AWS: "*" }, Condition: { NumericGreaterThan: { "s3:signatureAge": 3_600_000 } } },
  ]);
  const deletions = statements.filter(({ Action }) => Action === "s3:DeleteObject");
  expect(deletions).toMatchObject([
    { Effect: "Deny", Condition: { NumericGreaterThan: { "s3:signatureAge": 60_000 } } },
  ]);
  for (const { Resource } of denials)
    expect(Resource["Fn::Join"][1]).toEqual([{ "Fn::GetAtt": [expect.stringMatching(/^Files\w{8}$/), "Arn"] }, "/*"]);
});

/** The requests that pages may send to the bucket of files, by origin. */
function corsRules(changes: object) {
  const files = ofType(synthesise("staging", changes), "AWS::S3::Bucket").find(
    ({ Properties }) => Properties.LoggingConfiguration,
  );
  return files?.Properties.CorsConfiguration.CorsRules.map(
    ({ AllowedMethods, AllowedOrigins, AllowedHeaders = [] }: Resource["Properties"]) => [
      AllowedMethods,
      AllowedOrigins,
      AllowedHeaders,
    ],
  );
}

test("pages of every origin may read files, those of the dashboard and the stage's origins alone may upload and download releases, with the signed headers", () => {
  const reading = [["GET", "HEAD"], ["*"], []];
  const uploading = (...origins: string[]) => [
    ["PUT"],
    origins,
    ["content-type", "if-none-match", "x-amz-checksum-sha256"],
  ];
  const downloading = (...origins: string[]) => [["GET"], origins, ["svc-older-file"]];
  const dashboard = "https://dashboard.staging.example.com";
  expect(corsRules({ webOrigins: ["https://a.example.com", "http://localhost:5173", dashboard] })).toEqual([
    reading,
    uploading(dashboard, "https://a.example.com", "http://localhost:5173"),
    downloading(dashboard, "https://a.example.com", "http://localhost:5173"),
  ]);
  expect(corsRules({ webOrigins: [] })).toEqual([reading, uploading(dashboard), downloading(dashboard)]);
  expect(corsRules({ webOrigins: [], dashboard: undefined })).toEqual([reading]);
});

test("pages of games may upload, on a stage whose players send each other saved games", () => {
  const changes = { ...withGames("staging"), webOrigins: [], dashboard: undefined };
  const ofGames = [["PUT"], ["https://*.github.io"], ["content-type", "if-none-match", "x-amz-checksum-sha256"]];
  expect(corsRules(changes)).toContainEqual(ofGames);
  expect(corsRules({ ...changes, saves: false })).toHaveLength(1);
});

test("files that nobody reads move to cheaper storage, and no rule deletes one", () => {
  const files = ofType(staging, "AWS::S3::Bucket").find(({ Properties }) => Properties.LoggingConfiguration);
  expect(files?.Properties.LifecycleConfiguration.Rules).toEqual([
    { Status: "Enabled", AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 } },
    { Status: "Enabled", Transitions: [{ StorageClass: "INTELLIGENT_TIERING", TransitionInDays: 30 }] },
    // None of these is a file.
    ...["checks/", "found/"].map((Prefix) => ({ Status: "Enabled", Prefix, ExpirationInDays: 8 })),
    ...["packs/", "passing/"].map((Prefix) => ({ Status: "Enabled", Prefix, ExpirationInDays: 1 })),
  ]);
});

test("a disposable stage takes its data with it", () => {
  const resources = synthesise("staging", { disposable: true });
  expect(only(resources, "AWS::DynamoDB::GlobalTable")).toMatchObject({
    DeletionPolicy: "Delete",
    Properties: { Replicas: [{ DeletionProtectionEnabled: false }] },
  });
  for (const bucket of ofType(resources, "AWS::S3::Bucket")) expect(bucket.DeletionPolicy).toBe("Delete");
});

test("the functions' log is kept as long as the stage says, and those with addresses for 30 days at most", () => {
  const kept = (logRetentionDays: number) => {
    const resources = synthesise("staging", { logRetentionDays });
    const days = Object.entries(resources).flatMap(([id, { Type, Properties }]) => {
      if (Type === "AWS::Logs::LogGroup") return [[id.slice(0, -8), Properties.RetentionInDays]];
      const [rule] = Properties?.LifecycleConfiguration?.Rules ?? [];
      return rule?.ExpirationInDays === undefined ? [] : [[id.slice(0, -8), rule.ExpirationInDays]];
    });
    return Object.fromEntries(days);
  };
  expect(kept(365)).toEqual({ FunctionLog: 365, AccessLog: 30, FilesAccessLog: 30 });
  expect(kept(7)).toEqual({ FunctionLog: 7, AccessLog: 7, FilesAccessLog: 7 });
});
