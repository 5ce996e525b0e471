import { RemovalPolicy } from "aws-cdk-lib";
import { AttributeType, Billing, type ITableV2, TableV2 } from "aws-cdk-lib/aws-dynamodb";
import type { Construct } from "constructs";
import { attributes } from "../../functions/table/attributes.ts";
import type { Stage } from "../settings/stage.ts";

/**
 * The one table. It has no index, because every read is strongly consistent, and it is on demand, because traffic is
 * unpredictable. It is encrypted with DynamoDB's own key: with our own key every cold function would call KMS, and everybody
 * who may read the table could use that key too. A TableV2 can get replicas in other regions later.
 */
export function createTable(scope: Construct, stage: Stage): ITableV2 {
  if (stage.restoredTable !== undefined) return TableV2.fromTableName(scope, "Table", stage.restoredTable);
  return new TableV2(scope, "Table", {
    partitionKey: { name: attributes.partitionKey, type: AttributeType.STRING },
    sortKey: { name: attributes.sortKey, type: AttributeType.STRING },
    timeToLiveAttribute: attributes.timeToLive,
    billing: Billing.onDemand({ maxWriteRequestUnits: writeUnitsPerSecond(stage) }),
    pointInTimeRecoverySpecification: {
      pointInTimeRecoveryEnabled: true,
      recoveryPeriodInDays: stage.backupDays,
    },
    deletionProtection: stage.disposable !== true,
    contributorInsightsSpecification: { enabled: false },
    // Not RETAIN_ON_UPDATE_OR_DELETE: what is protected cannot be deleted, and a first deployment that fails would end as ROLLBACK_FAILED.
    removalPolicy: stage.disposable ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
  }) as ITableV2;
}

/**
 * The most write units a second. A new table serves 4,000 at once, and routes write less than four for each request that the stage lets through, so
 * only a loop or an attack meets it. It bounds what they cost: 4,000 are $216 a day, and without a maximum it is the account's quota, 40,000.
 */
function writeUnitsPerSecond({ requestsPerSecond }: Stage): number {
  return Math.max(4_000, 4 * requestsPerSecond);
}
