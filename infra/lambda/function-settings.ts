import { Validations } from "aws-cdk-lib";
import type { ITableV2 } from "aws-cdk-lib/aws-dynamodb";
import type { Conditions } from "aws-cdk-lib/aws-iam";
import {
  ApplicationLogLevel,
  Architecture,
  Code,
  LoggingFormat,
  Runtime,
  SystemLogLevel,
  Tracing,
} from "aws-cdk-lib/aws-lambda";
import type { ILogGroup } from "aws-cdk-lib/aws-logs";
import type { IConstruct } from "constructs";
import { sweepPartition } from "../../functions/table/keys.ts";
import type { Stage } from "../settings/stage.ts";
import type { FunctionRole } from "./function-roles.ts";

/** Parts that the construct of a function gets of its stack. */
export interface FunctionParts {
  readonly stage: Stage;
  /** The folder that has the bundled `index.mjs`. */
  readonly code: string;
  readonly table: ITableV2;
  readonly logGroup: ILogGroup;
}

/**
 * The settings of every function of a stage: Node 24 on arm64, its role, its log in the stage's log group, and traces
 * if the stage has tracing on.
 */
export function functionSettings({ stage, code, logGroup }: Omit<FunctionParts, "table">, role: FunctionRole) {
  return {
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    code: Code.fromAsset(code, { exclude: ["*.map"] }),
    handler: "index.handler",
    tracing: stage.tracing ? Tracing.ACTIVE : Tracing.DISABLED,
    role,
    logGroup,
    loggingFormat: LoggingFormat.JSON,
    applicationLogLevelV2: ApplicationLogLevel.INFO,
    // Without the start and report lines, which would be most of the log's cost; CloudWatch's metrics have the same figures.
    systemLogLevelV2: SystemLogLevel.WARN,
  };
}

/** The condition of a permission on the table: items of these partitions alone. The sweep's work is one partition; of the others there are many. */
export function onlyPartitions(...partitions: readonly string[]): Conditions {
  const keys = partitions.map((partition) => (partition === sweepPartition ? partition : `${partition}#*`));
  return { "ForAllValues:StringLike": { "dynamodb:LeadingKeys": keys } };
}

/** The reason for cdk-nag why a function's role has the resource `*`. */
export function acknowledgeTraces(scope: IConstruct): void {
  Validations.of(scope).acknowledge({
    id: "AwsSolutions-IAM5[Resource::*]",
    reason: "X-Ray's two actions to send traces have no resource.",
  });
}
