import { Duration, RemovalPolicy, Validations } from "aws-cdk-lib";
import { BackupPlan, BackupPlanRule, BackupResource, BackupVault } from "aws-cdk-lib/aws-backup";
import type { ITableV2 } from "aws-cdk-lib/aws-dynamodb";
import { Rule, RuleTargetInput, Schedule } from "aws-cdk-lib/aws-events";
import { SnsTopic } from "aws-cdk-lib/aws-events-targets";
import { PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Bucket, type BucketProps, type IBucket } from "aws-cdk-lib/aws-s3";
import type { ITopic } from "aws-cdk-lib/aws-sns";
import { Construct } from "constructs";
import { projectsPrefix } from "../../../functions/files/object-keys.ts";
import type { Stage } from "../../../infra/settings/stage.ts";
import { acknowledgeObjects } from "../../../infra/storage/bucket.ts";
import { placeOfArn } from "../stage.ts";

type BackupSettings = NonNullable<Stage["backup"]>;

interface TableBackupProps {
  readonly stage: Stage;
  readonly backup: BackupSettings;
  readonly table: ITableV2;
}

/**
 * A copy of the table in another account or region each night. AWS Backup copies only from a vault of its own, where the recovery
 * point stays until it is surely copied: restoring to any second of the last days is the table's own (infra/storage/table.ts).
 */
export class TableBackup extends Construct {
  constructor(scope: Construct, id: string, { stage, backup, table }: TableBackupProps) {
    super(scope, id);
    const vault = new BackupVault(this, "Vault", {
      backupVaultName: `svc-${stage.name}`,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const copies = BackupVault.fromBackupVaultArn(this, "Copies", backup.vaultArn);
    const rule = new BackupPlanRule({
      ruleName: "daily",
      scheduleExpression: Schedule.cron({ hour: "3", minute: "0" }),
      startWindow: Duration.hours(1),
      completionWindow: Duration.hours(12),
      deleteAfter: Duration.days(2),
      copyActions: [{ destinationBackupVault: copies, deleteAfter: Duration.days(backup.days ?? 35) }],
    });
    const plan = new BackupPlan(this, "Plan", {
      backupPlanName: `svc-${stage.name}`,
      backupVault: vault,
      backupPlanRules: [rule],
    });
    const role = new Role(this, "Role", {
      assumedBy: new ServicePrincipal("backup.amazonaws.com", {
        conditions: { StringEquals: { "aws:SourceAccount": stage.account } },
      }),
    });
    for (const [actions, resources] of [
      [["dynamodb:DescribeTable", "dynamodb:ListTagsOfResource", "dynamodb:StartAwsBackupJob"], [table.tableArn]],
      [
        ["backup:DescribeBackupVault", "backup:CopyIntoBackupVault"],
        [vault.backupVaultArn, backup.vaultArn],
      ],
      // For recovery points, whose ARNs have ids alone.
      [["backup:CopyFromBackupVault"], ["*"]],
    ] as const)
      role.addToPolicy(new PolicyStatement({ actions: [...actions], resources: [...resources] }));
    Validations.of(role).acknowledge({
      id: "AwsSolutions-IAM5[Resource::*]",
      reason: "The ARN of a recovery point is an id.",
    });
    plan.addSelection("Table", {
      resources: [BackupResource.fromArn(table.tableArn)],
      role,
      disableDefaultBackupPolicy: true,
    });
  }
}

/** A backup or a copy that failed is mailed at once, where the alarms are. */
export function tellOfFailedBackups(scope: Construct, topic: ITopic): void {
  new Rule(scope, "BackupFailing", {
    description: "Backups of the table, and copies of them, that failed",
    eventPattern: {
      source: ["aws.backup"],
      detailType: ["Backup Job State Change", "Copy Job State Change"],
      detail: { state: ["ABORTED", "EXPIRED", "FAILED"] },
    },
    targets: [
      new SnsTopic(topic, {
        message: RuleTargetInput.fromText(
          'A backup of the table or its copy failed. See "BackupFailing" in docs/operations/looking.md.',
        ),
      }),
    ],
  });
}

/**
 * Sends files and manifests of a bucket to the copy, and each deletion, which there hides a version and keeps it. The role is ours, because the
 * CDK's has a name that CloudFormation may not use here.
 */
export class FilesReplication extends Construct {
  readonly settings: Pick<BucketProps, "replicationRole" | "replicationRules">;
  private readonly role: Role;
  private readonly destination: IBucket;
  private readonly isOtherAccounts: boolean;

  constructor(scope: Construct, id: string, stage: Stage, { bucket: bucketName, vaultArn }: BackupSettings) {
    super(scope, id);
    const { account } = placeOfArn(vaultArn);
    // S3 takes this only for another account; there the replica would else be the stage's, and nobody there could read it.
    this.isOtherAccounts = account !== stage.account;
    this.role = new Role(this, "Role", { assumedBy: new ServicePrincipal("s3.amazonaws.com") });
    this.destination = Bucket.fromBucketAttributes(this, "Copy", { bucketName, account }) as IBucket;
    const filter = { prefix: projectsPrefix };
    const rule = { destination: this.destination, deleteMarkerReplication: true, priority: 0, filter };
    const accessControlTransition = this.isOtherAccounts;
    this.settings = { replicationRole: this.role, replicationRules: [{ ...rule, accessControlTransition }] };
  }

  allowFrom(files: Bucket): void {
    const read = ["GetObjectVersionForReplication", "GetObjectVersionAcl", "GetObjectVersionTagging"];
    const owner = this.isOtherAccounts ? ["ObjectOwnerOverrideToBucketOwner"] : [];
    const write = [...owner, "ReplicateDelete", "ReplicateObject", "ReplicateTags"];
    for (const [actions, resource] of [
      [["GetReplicationConfiguration", "ListBucket"], files.bucketArn],
      [read, files.arnForObjects("*")],
      [write, this.destination.arnForObjects("*")],
    ] as const)
      this.role.addToPolicy(
        new PolicyStatement({ actions: actions.map((action) => `s3:${action}`), resources: [resource] }),
      );
    const reason = "Every object is replicated.";
    acknowledgeObjects(this, files, ["*"], reason);
    const id = `AwsSolutions-IAM5[Resource::${this.destination.bucketArn}/*]`;
    Validations.of(this).acknowledge({ id, reason });
  }
}
