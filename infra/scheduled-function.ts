import { Duration } from "aws-cdk-lib";
import { Rule, Schedule } from "aws-cdk-lib/aws-events";
import { LambdaFunction as LambdaTarget } from "aws-cdk-lib/aws-events-targets";
import { type Conditions, PolicyStatement } from "aws-cdk-lib/aws-iam";
import { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import type { ILogGroup } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import { FunctionRole } from "./function-roles.ts";
import { acknowledgeTraces, functionSettings } from "./function-settings.ts";
import type { ScheduleName } from "./schedules.ts";
import type { Stage } from "./stage.ts";
import { reservedConcurrencyOf } from "./throttling.ts";

interface ScheduledFunctionProps {
  readonly stage: Stage;
  readonly name: ScheduleName;
  readonly description: string;
  /** The folder that has the bundled `index.mjs`. */
  readonly code: string;
  readonly logGroup: ILogGroup;
  readonly every: Duration;
  readonly memorySize: number;
  /** Less than the time between two runs. Two may overlap all the same, because an event may be delivered twice or late. */
  readonly timeout: Duration;
  readonly environment: Readonly<Record<string, string>>;
}

/** A function that runs on a schedule, with its own role. A failed run is not repeated: the next one follows soon. */
export class ScheduledFunction extends Construct {
  readonly lambda: LambdaFunction;

  constructor(scope: Construct, id: string, props: ScheduledFunctionProps) {
    super(scope, id);
    const { stage, name, description, code, logGroup, every, memorySize, timeout } = props;
    const reserved = reservedConcurrencyOf(name, stage);
    this.lambda = new LambdaFunction(this, "Function", {
      ...functionSettings(stage, { code, logGroup, role: new FunctionRole(this) }),
      functionName: `svc-${stage.name}-${name}`,
      description,
      memorySize,
      timeout,
      ...(reserved !== undefined && { reservedConcurrentExecutions: reserved }),
      environment: { SVC_STAGE: stage.name, ...props.environment },
      retryAttempts: 0,
      maxEventAge: Duration.minutes(1),
    });
    this.allow(["logs:CreateLogStream", "logs:PutLogEvents"], [logGroup.logGroupArn]);
    acknowledgeTraces(this);
    const rule = new Rule(this, "Schedule", { description, schedule: Schedule.rate(every) });
    rule.addTarget(new LambdaTarget(this.lambda, { retryAttempts: 0, maxEventAge: Duration.minutes(1) }));
  }

  allow(actions: readonly string[], resources: string[], conditions: Conditions = {}): void {
    this.lambda.addToRolePolicy(new PolicyStatement({ actions: [...actions], resources, conditions }));
  }
}
