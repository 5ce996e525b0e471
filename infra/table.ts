import { RemovalPolicy } from "aws-cdk-lib";
import { AttributeType, Billing, type ITableV2, TableV2 } from "aws-cdk-lib/aws-dynamodb";
import type { Construct } from "constructs";
import { attributes } from "../functions/table/attributes.ts";
import type { Stage } from "./stage.ts";

/**
 * The one table: no index, because every read is strongly consistent; on demand, because its load is people's. It is
 * encrypted with DynamoDB's own key: a key of ours would cost each cold function a call to KMS and protect from nobody
 * whom the table's permissions let through. The kind of table that can later get replicas in other regions in place.
 */
export function createTable(scope: Construct, stage: Stage): ITableV2 {
  if (stage.restoredTable !== undefined) return TableV2.fromTableName(scope, "Table", stage.restoredTable);
  return new TableV2(scope, "Table", {
    partitionKey: { name: attributes.partitionKey, type: AttributeType.STRING },
    sortKey: { name: attributes.sortKey, type: AttributeType.STRING },
    timeToLiveAttribute: attributes.timeToLive,
    billing: Billing.onDemand(),
    pointInTimeRecoverySpecification: {
      pointInTimeRecoveryEnabled: true,
      recoveryPeriodInDays: stage.backupDays,
    },
    deletionProtection: stage.disposable !== true,
    contributorInsightsSpecification: { enabled: false },
    removalPolicy: stage.disposable ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
  }) as ITableV2;
}
