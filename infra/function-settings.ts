import { Validations } from "aws-cdk-lib";
import { Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
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
import type { Construct, IConstruct } from "constructs";
import type { Stage } from "./stage.ts";

/**
 * What every function of a stage has: Node 24 on arm64, a role of its own, its log in the stage's group, and traces where
 * the stage wants them.
 *
 * @param code the folder that has the bundled `index.mjs`
 */
export function functionSettings(
  scope: Construct,
  stage: Stage,
  { code, logGroup }: { code: string; logGroup: ILogGroup },
) {
  return {
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    code: Code.fromAsset(code, { exclude: ["*.map"] }),
    handler: "index.handler",
    tracing: stage.tracing ? Tracing.ACTIVE : Tracing.DISABLED,
    role: new Role(scope, "Role", { assumedBy: new ServicePrincipal("lambda.amazonaws.com") }),
    logGroup,
    loggingFormat: LoggingFormat.JSON,
    applicationLogLevelV2: ApplicationLogLevel.INFO,
    // A start and a report for each request would be most of the log's cost; CloudWatch's metrics have both.
    systemLogLevelV2: SystemLogLevel.WARN,
  };
}

/** Tells cdk-nag why a function's role names one resource as `*`. */
export function acknowledgeTraces(scope: IConstruct): void {
  Validations.of(scope).acknowledge({
    id: "AwsSolutions-IAM5[Resource::*]",
    reason: "X-Ray's two actions to send traces know no resource to narrow them to.",
  });
}
