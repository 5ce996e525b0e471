import { expect, test } from "@jest/globals";
import { withBackup } from "../../../test/support/synthesis/settings.ts";
import { ofType, only, type Resources, statementsOfRoles, synthesise } from "../../../test/support/synthesis.ts";

const staging = synthesise("staging", withBackup);
const vault = "arn:aws:backup:eu-central-1:333333333333:backup-vault:svc-copies";
const idOf = (type: string, among: Resources = staging) =>
  Object.keys(among).find((id) => among[id]?.Type === type) ?? "";
const filesOf = (resources: Resources) =>
  Object.entries(resources).find(
    ([, { Type, Properties }]) => Type === "AWS::S3::Bucket" && Properties.LoggingConfiguration,
  ) ?? [];

/** The actions and resources that the role of a service allows. */
function allowedTo(service: string): string[] {
  const [id = ""] =
    Object.entries(staging).find(
      ([, { Type, Properties }]) =>
        Type === "AWS::IAM::Role" && JSON.stringify(Properties.AssumeRolePolicyDocument).includes(`"${service}`),
    ) ?? [];
  return (statementsOfRoles(staging)[id] ?? []).flatMap(({ Action, Resource }) =>
    [Action].flat().map((action) => `${action} ${[Resource].flat().map(partOf).join()}`),
  );
}

// biome-ignore lint/suspicious/noExplicitAny: a resource in a policy is whatever JSON CloudFormation takes
function partOf(place: any): string {
  if (typeof place === "string") return place;
  const [first, ...rest] = place["Fn::Join"]?.[1] ?? [place];
  return typeof first === "string"
    ? [first, ...rest].map((part) => part.Ref ?? part).join("")
    : first["Fn::GetAtt"][0].slice(0, -8) + rest.join("");
}

test("each night the table is copied into a vault outside, which keeps the copy", () => {
  const { BackupPlan } = only(staging, "AWS::Backup::BackupPlan").Properties;
  expect(BackupPlan.BackupPlanRule).toEqual([
    expect.objectContaining({
      ScheduleExpression: "cron(0 3 * * ? *)",
      Lifecycle: { DeleteAfterDays: 2 },
      CopyActions: [{ DestinationBackupVaultArn: vault, Lifecycle: { DeleteAfterDays: 35 } }],
    }),
  ]);
  const { BackupSelection } = only(staging, "AWS::Backup::BackupSelection").Properties;
  expect(BackupSelection.Resources).toEqual([{ "Fn::GetAtt": [idOf("AWS::DynamoDB::GlobalTable"), "Arn"] }]);
  const kept = synthesise("staging", { backup: { ...withBackup.backup, days: 90 } });
  expect(JSON.stringify(only(kept, "AWS::Backup::BackupPlan"))).toContain('"DeleteAfterDays":90');
});

test("AWS Backup may only back up this table and copy into these two vaults", () => {
  expect(allowedTo("backup.")).toEqual([
    "dynamodb:DescribeTable Table",
    "dynamodb:ListTagsOfResource Table",
    "dynamodb:StartAwsBackupJob Table",
    `backup:CopyIntoBackupVault ${vault},BackupVault`,
    `backup:DescribeBackupVault ${vault},BackupVault`,
    "backup:CopyFromBackupVault *",
  ]);
  const role = JSON.stringify(
    ofType(staging, "AWS::IAM::Role").filter((each) => JSON.stringify(each).includes("backup.")),
  );
  expect(role).toContain('"aws:SourceAccount":"111111111111"');
  expect(role).not.toContain("ManagedPolicyArns");
});

test("S3 replicates each file and each deletion to the bucket outside, which then owns the replica, and nothing else", () => {
  const [id, files] = filesOf(staging);
  expect(files?.Properties).toMatchObject({
    VersioningConfiguration: { Status: "Enabled" },
    ReplicationConfiguration: {
      Rules: [
        {
          Status: "Enabled",
          // What a restore needs; what is deleted after a day is nowhere for longer.
          Filter: { Prefix: "projects/" },
          DeleteMarkerReplication: { Status: "Enabled" },
          Destination: { Account: "333333333333", AccessControlTranslation: { Owner: "Destination" } },
        },
      ],
    },
  });
  expect(JSON.stringify(files?.Properties.ReplicationConfiguration)).toContain(":s3:::svc-files-copy");
  const own = id?.slice(0, -8);
  const copy = "arn:aws:s3:::svc-files-copy/*";
  expect(allowedTo("s3.").toSorted()).toEqual(
    [
      `s3:GetReplicationConfiguration ${own}`,
      `s3:ListBucket ${own}`,
      `s3:GetObjectVersionForReplication ${own}/*`,
      `s3:GetObjectVersionAcl ${own}/*`,
      `s3:GetObjectVersionTagging ${own}/*`,
      `s3:ObjectOwnerOverrideToBucketOwner ${copy}`,
      `s3:ReplicateDelete ${copy}`,
      `s3:ReplicateObject ${copy}`,
      `s3:ReplicateTags ${copy}`,
    ].toSorted(),
  );
});

test("in another region of the same account the replica has no other owner", () => {
  const backup = { ...withBackup.backup, vaultArn: vault.replace("333333333333", "111111111111") };
  const [, files] = filesOf(synthesise("staging", { backup }));
  const [{ Destination }] = files?.Properties.ReplicationConfiguration.Rules ?? [];
  expect(Object.keys(Destination)).not.toContain("AccessControlTranslation");
  expect(JSON.stringify(synthesise("staging", { backup }))).not.toContain("ObjectOwnerOverride");
});

test("what the sweeper deletes is gone a day later, and the other rules stay", () => {
  const rules = (resources: Resources) => filesOf(resources)[1]?.Properties.LifecycleConfiguration.Rules;
  expect(rules(staging)).toEqual([
    ...rules(synthesise("staging")),
    { Status: "Enabled", NoncurrentVersionExpiration: { NoncurrentDays: 1 }, ExpiredObjectDeleteMarker: true },
  ]);
});

test("a backup or copy that failed is mailed to the address of the alarms", () => {
  const [rule] = ofType(staging, "AWS::Events::Rule").filter(
    ({ Properties }) => Properties.EventPattern?.source?.[0] === "aws.backup",
  );
  expect(rule?.Properties).toMatchObject({
    State: "ENABLED",
    EventPattern: {
      "detail-type": ["Backup Job State Change", "Copy Job State Change"],
      detail: { state: ["ABORTED", "EXPIRED", "FAILED"] },
    },
    Targets: [{ Arn: { Ref: idOf("AWS::SNS::Topic") } }],
  });
});

test("without the setting a stage has neither backup, nor versions, nor replicas", () => {
  const plain = synthesise("staging");
  expect(Object.values(plain).filter(({ Type }) => Type.startsWith("AWS::Backup::"))).toEqual([]);
  const [, files] = filesOf(plain);
  expect(files?.Properties).not.toHaveProperty("VersioningConfiguration");
  expect(files?.Properties).not.toHaveProperty("ReplicationConfiguration");
});
