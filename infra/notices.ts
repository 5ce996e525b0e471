import { Duration } from "aws-cdk-lib";
import type { ITableV2 } from "aws-cdk-lib/aws-dynamodb";
import { EventBus } from "aws-cdk-lib/aws-events";
import type { ILogGroup } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import { addOutput } from "./output.ts";
import { ScheduledFunction } from "./scheduled-function.ts";
import type { Stage } from "./stage.ts";

interface NoticesProps {
  readonly stage: Stage;
  readonly code: string;
  readonly table: ITableV2;
  readonly logGroup: ILogGroup;
}

/**
 * The bus with notices about accounts (docs/notices.md), and the function that moves them there from the table's outbox. It
 * may change only the outbox, and may read accounts and tokens.
 */
export class Notices extends Construct {
  readonly delivery: ScheduledFunction;
  readonly bus: EventBus;

  constructor(scope: Construct, id: string, { stage, code, table, logGroup }: NoticesProps) {
    super(scope, id);
    const bus = new EventBus(this, "Bus", { eventBusName: `svc-${stage.name}` });
    this.bus = bus;
    this.delivery = new ScheduledFunction(this, "Delivery", {
      stage,
      name: "deliver-notices",
      description: "Puts the notices that are due on the stage's bus",
      code,
      logGroup,
      every: Duration.minutes(1),
      memorySize: 512,
      timeout: Duration.seconds(50),
      environment: { TABLE_NAME: table.tableName, EVENT_BUS_NAME: bus.eventBusName },
    });
    const only = (partitions: string) => ({ "ForAllValues:StringLike": { "dynamodb:LeadingKeys": [partitions] } });
    const onOutbox = ["dynamodb:DeleteItem", "dynamodb:PutItem", "dynamodb:Query"];
    this.delivery.allow(onOutbox, [table.tableArn], only("OUTBOX#*"));
    this.delivery.allow(["dynamodb:BatchGetItem"], [table.tableArn], only("ACCOUNT#*"));
    this.delivery.allow(["events:PutEvents"], [bus.eventBusArn]);
    addOutput(this, "NoticesBusName", bus.eventBusName, "Notices of accounts: docs/notices.md");
  }
}
