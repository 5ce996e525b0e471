import { Duration } from "aws-cdk-lib";
import { EventBus, EventField, Rule, RuleTargetInput } from "aws-cdk-lib/aws-events";
import { SnsTopic } from "aws-cdk-lib/aws-events-targets";
import type { ITopic } from "aws-cdk-lib/aws-sns";
import { Construct } from "constructs";
import { ScheduledFunction } from "../../../infra/background/scheduled-function.ts";
import { commands } from "../../../infra/home.ts";
import { environmentOf } from "../../../infra/lambda/function-environment.ts";
import { type FunctionParts, onlyPartitions } from "../../../infra/lambda/function-settings.ts";
import type { Stage } from "../../../infra/settings/stage.ts";
import { addOutput } from "../../../infra/stacks/output.ts";

/**
 * The bus with notices about accounts (docs/notices.md), and the function that moves them there from the table's outbox. It
 * may change only the outbox, and may read accounts and tokens.
 */
export class Notices extends Construct {
  readonly delivery: ScheduledFunction;
  readonly bus: EventBus;

  constructor(scope: Construct, id: string, parts: FunctionParts) {
    super(scope, id);
    const { stage, table } = parts;
    const bus = new EventBus(this, "Bus", { eventBusName: `svc-${stage.name}` });
    this.bus = bus;
    this.delivery = new ScheduledFunction(this, "Delivery", {
      ...parts,
      name: "deliver-notices",
      description: "Puts the notices that are due on the stage's bus",
      every: Duration.minutes(1),
      memorySize: 512,
      timeout: Duration.seconds(50),
      environment: { EVENT_BUS_NAME: bus.eventBusName },
    });
    const onOutbox = ["dynamodb:DeleteItem", "dynamodb:PutItem", "dynamodb:Query"];
    this.delivery.allow(onOutbox, [table.tableArn], onlyPartitions("OUTBOX"));
    this.delivery.allow(["dynamodb:BatchGetItem"], [table.tableArn], onlyPartitions("ACCOUNT"));
    this.delivery.allow(["events:PutEvents"], [bus.eventBusArn]);
    addOutput(this, "NoticesBusName", bus.eventBusName, "Notices of accounts: docs/notices.md");
  }
}

/**
 * The function that tells the webhooks of projects of their changes. It sends to URLs that people have chosen, so it has nothing of them but
 * what it needs: it may change what waits to be sent and what came of it, and nothing of an account or a project.
 */
export class Webhooks extends ScheduledFunction {
  constructor(scope: Construct, id: string, parts: FunctionParts) {
    super(scope, id, {
      ...parts,
      name: "deliver-webhooks",
      description: "Sends what is due to the webhooks of projects",
      every: Duration.minutes(1),
      memorySize: 512,
      timeout: Duration.seconds(50),
      environment: environmentOf(parts.stage, ["dashboardOrigin", "gamesDomain"]),
    });
    const { tableArn } = parts.table;
    const onDeliveries = ["BatchWriteItem", "DeleteItem", "PutItem", "Query", "UpdateItem"];
    this.allow(
      onDeliveries.map((action) => `dynamodb:${action}`),
      [tableArn],
      onlyPartitions("OUTBOX", "WEBHOOK"),
    );
    this.allow(["dynamodb:BatchGetItem"], [tableArn], onlyPartitions("ACCOUNT", "PROJECT", "WEBHOOK"));
  }
}

/** Mails the operator, where the alarms are, that somebody asks to become a developer of a stage that approves them. */
export function tellOfRequests(
  scope: Construct,
  { bus, topic, stage }: { bus: EventBus; topic: ITopic; stage: Stage },
): void {
  const uid = EventField.fromPath("$.detail.account.uid");
  const command = `${commands.operator} --stage ${stage.name}`;
  new Rule(scope, "DeveloperRequested", {
    description: "Accounts that ask to become developers",
    eventBus: bus,
    eventPattern: { source: ["svc"], detailType: ["developer_requested"] },
    targets: [
      new SnsTopic(topic, {
        message: RuleTargetInput.fromText(
          `The account ${uid} asks to become a developer. "${command} show waiting" says who it is, "${command} approve account UID" approves it.`,
        ),
      }),
    ],
  });
}
