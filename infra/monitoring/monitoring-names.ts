import type { Stage } from "../settings/stage.ts";

/* Names of a stage's alarms that stacks and commands share. Without the CDK, which takes a command seconds to load. */

/** End of the name of the stack with the alarms of the stage's own region. */
export const monitoringSuffix = "monitoring";

/** The ARN of the alarm of a name, or of those of a pattern; literal, because the CDK's is another one with other flags of an app. */
export function alarmArns({ account, region }: Pick<Stage, "account" | "region">, name: string): string {
  return `arn:aws:cloudwatch:${region}:${account}:alarm:${name}`;
}

/** Beginning of the names of the alarms in the stage's own stack and in us-east-1. */
export function alarmPrefix({ name }: Pick<Stage, "name">): string {
  return `svc-${name}`;
}

/**
 * Beginning of the names of the alarms in the stack of its own. It differs from that of the stage's own stack, which had all of them in
 * earlier versions: so either version can be deployed while the alarms of the other are still there.
 */
export function monitoringPrefix(stage: Pick<Stage, "name">): string {
  return `${alarmPrefix(stage)}-${monitoringSuffix}`;
}
