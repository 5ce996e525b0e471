import { Duration } from "aws-cdk-lib";
import { Rule, Schedule } from "aws-cdk-lib/aws-events";
import { LambdaFunction as LambdaTarget } from "aws-cdk-lib/aws-events-targets";
import { type Conditions, PolicyStatement } from "aws-cdk-lib/aws-iam";
import { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";
import { reservedConcurrencyOf } from "../api/throttling.ts";
import { stageVariables } from "../lambda/function-environment.ts";
import { FunctionRole } from "../lambda/function-roles.ts";
import { acknowledgeTraces, type FunctionParts, functionSettings } from "../lambda/function-settings.ts";

interface ScheduledFunctionProps extends FunctionParts {
  /** Name of its bundle. */
  readonly name: string;
  readonly description: string;
  readonly every: Duration;
  readonly memorySize: number;
  /** Less than the time between two runs. Two may overlap all the same, because an event may be delivered twice or late. */
  readonly timeout: Duration;
  /** Variables beside the names of stage and table. */
  readonly environment: Readonly<Record<string, string>>;
}

/** A function that runs on a schedule, with its own role. A failed run is not repeated: the next one follows soon. */
export class ScheduledFunction extends Construct {
  readonly lambda: LambdaFunction;

  constructor(scope: Construct, id: string, props: ScheduledFunctionProps) {
    super(scope, id);
    const { stage, name, description, table, logGroup, every, memorySize, timeout } = props;
    const reserved = reservedConcurrencyOf(name, stage);
    this.lambda = new LambdaFunction(this, "Function", {
      ...functionSettings(props, new FunctionRole(this)),
      functionName: `svc-${stage.name}-${name}`,
      description,
      memorySize,
      timeout,
      ...(reserved !== undefined && { reservedConcurrentExecutions: reserved }),
      environment: { ...stageVariables(stage), TABLE_NAME: table.tableName, ...props.environment },
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
