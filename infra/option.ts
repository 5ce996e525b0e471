import type { Metric } from "aws-cdk-lib/aws-cloudwatch";
import type { EventBus } from "aws-cdk-lib/aws-events";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import type { Construct } from "constructs";
import type { AlarmDefinition } from "./alarm-definition.ts";
import type { FunctionParts } from "./function-settings.ts";

/** What the stack of a stage knows of an option. */
export interface StackOption {
  /** Adds its parts to the stack; undefined: the stage leaves it out. */
  readonly addTo: (scope: Construct, parts: StackParts) => OptionParts | undefined;
}

export interface StackParts extends Omit<FunctionParts, "code"> {
  /** Where the bundle of one of its functions is. */
  readonly code: (name: string) => string;
}

/** What an option has added. */
export interface OptionParts {
  /** Functions whose failures have alarms of their own. */
  readonly jobs?: readonly IFunction[];
  readonly alarms?: (logged: Logged) => readonly AlarmDefinition[];
  /** The bus on which the stage's notices are. */
  readonly bus?: EventBus;
}

/** Counts the lines of the functions' log that have a code. */
export type Logged = (metricName: string, code: string) => Metric;
