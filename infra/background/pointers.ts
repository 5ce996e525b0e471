import { Duration } from "aws-cdk-lib";
import type { Metric } from "aws-cdk-lib/aws-cloudwatch";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import type { Construct } from "constructs";
import { onPointers } from "../../functions/access.ts";
import { type FunctionParts, onlyPartitions } from "../lambda/function-settings.ts";
import { type AlarmDefinition, noRun, period } from "../monitoring/alarm-definition.ts";
import { ScheduledFunction } from "./scheduled-function.ts";

interface PointersProps extends FunctionParts {
  readonly gamesStoreArn: string;
}

/**
 * The function that writes the pointers which a request could not write, and makes room for them (docs/decisions/0050-the-pointer.md). It may read
 * projects, change only what waits, and write keys of the edge's store (Service Authorization Reference, "Amazon CloudFront
 * KeyValueStore"). Two of them at once do no harm.
 */
export function createPointers(scope: Construct, { gamesStoreArn, ...parts }: PointersProps): IFunction {
  const { table } = parts;
  const writer = new ScheduledFunction(scope, "Pointers", {
    ...parts,
    name: "write-pointers",
    description: "Writes the pointers that wait to the games' edge",
    every: Duration.minutes(1),
    memorySize: 512,
    timeout: Duration.seconds(50),
    environment: { GAMES_STORE_ARN: gamesStoreArn },
  });
  writer.allow(onPointers.afterChange, [table.tableArn], onlyPartitions(onPointers.partition));
  writer.allow(["dynamodb:BatchGetItem"], [table.tableArn], onlyPartitions("PROJECT"));
  writer.allow([...onPointers.store, "cloudfront-keyvaluestore:ListKeys"], [gamesStoreArn]);
  return writer.lambda;
}

/** The alarms of what players get: that it waits, or is refused. */
export function pointerAlarms(writer: IFunction, refused: Metric): AlarmDefinition[] {
  return [
    {
      name: "PointersFailing",
      metric: writer.metricErrors({ period }),
      ofThree: 2,
      description:
        "The key-value store of the games' edge cannot be written for more than a moment; players see old releases.",
    },
    noRun({
      name: "PointersNotRunning",
      lambda: writer,
      period,
      description: "The function that writes pointers has not run for 15 minutes.",
    }),
    {
      name: "PointersRefused",
      metric: refused,
      description: "The key-value store of the games' edge refuses a pointer: players do not see that change.",
    },
  ];
}
