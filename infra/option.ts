import type { Stack } from "aws-cdk-lib";
import type { Metric } from "aws-cdk-lib/aws-cloudwatch";
import type { EventBus } from "aws-cdk-lib/aws-events";
import type { Bucket, BucketProps } from "aws-cdk-lib/aws-s3";
import type { Topic } from "aws-cdk-lib/aws-sns";
import type { Construct } from "constructs";
import type { FunctionParts } from "./lambda/function-settings.ts";
import type { AlarmDefinition } from "./monitoring/alarm-definition.ts";
import type { Stage } from "./settings/stage.ts";
import { addToStages, type StageOption } from "./settings/stage-option.ts";
import type { StageCheck } from "./smoke/stage-check.ts";
import type { EdgeStack } from "./stacks/sibling-stack.ts";

/** An option of stages, with its checks of `npm run smoke -- --stage NAME`, which are run after that has created a token. */
export interface InfraOption extends StageOption {
  readonly checks?: readonly StageCheck[];
}

/** Checks of the options that the program was given. */
export const optionChecks: StageCheck[] = [];

/** Adds options, once, before the program reads a stage. */
export function addOptions(options: readonly InfraOption[]): void {
  addToStages(options);
  optionChecks.push(...options.flatMap(({ checks = [] }) => checks));
}

/** The options in the stacks of stages that the program was given. */
export const stackOptions: StackOption[] = [];

/** Adds what options have in stacks, once, before the program makes one. */
export function addStackOptions(options: readonly StackOption[]): void {
  stackOptions.push(...options);
}

/** Parts of an option for the stack of a stage. */
export interface StackOption {
  /** Adds its parts to the stack; undefined: the stage leaves it out. */
  readonly addTo: (scope: Construct, parts: StackParts) => OptionParts | undefined;
  /** Stacks of its own in us-east-1, deployed after the service's, whose outputs they read; none: the stage leaves it out. */
  readonly stacks?: (service: Stack, stage: Stage) => readonly EdgeStack[];
  /** Additions to the bucket of files. */
  readonly files?: (scope: Construct, stage: Stage) => FilesAddition | undefined;
}

export interface StackParts extends Omit<FunctionParts, "code"> {
  /** Path of a function's bundle, by its name. */
  readonly code: (name: string) => string;
  /** Id of the games' distribution; undefined: the stage has no games domain. */
  readonly gamesDistributionId: string | undefined;
}

/** Parts that an option has added. */
export interface OptionParts {
  readonly alarms?: (logged: Logged) => readonly AlarmDefinition[];
  /** The bus on which the stage's notices are. */
  readonly bus?: EventBus;
  /** Called with the topic of the alarms, in whose construct it adds what else is mailed there. */
  readonly tell?: (scope: Construct, topic: Topic) => void;
}

/** Additions of an option to the bucket of files, of which it needs versions. */
export interface FilesAddition {
  readonly settings: Partial<BucketProps>;
  /** Called once the bucket is there. */
  readonly allowFrom: (files: Bucket) => void;
}

/** Counts the lines of the functions' log that have a code. */
export type Logged = (metricName: string, code: string) => Metric;
