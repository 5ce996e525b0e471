import type { Stack } from "aws-cdk-lib";
import type { Metric } from "aws-cdk-lib/aws-cloudwatch";
import type { EventBus } from "aws-cdk-lib/aws-events";
import type { Bucket, BucketProps } from "aws-cdk-lib/aws-s3";
import type { Topic } from "aws-cdk-lib/aws-sns";
import type { Construct } from "constructs";
import type { FunctionParts } from "./lambda/function-settings.ts";
import type { AlarmDefinition } from "./monitoring/alarm-definition.ts";
import type { Stage } from "./settings/stage.ts";

/** Parts of an option for the stack of a stage. */
export interface StackOption {
  /** Adds its parts to the stack; undefined: the stage leaves it out. */
  readonly addTo: (scope: Construct, parts: StackParts) => OptionParts | undefined;
  /** Stacks of its own in other regions, deployed after the stage's, whose outputs they read; none: the stage leaves it out. */
  readonly stacks?: (app: Construct, stage: Stage) => readonly Stack[];
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
