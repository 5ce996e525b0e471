import type { Stack } from "aws-cdk-lib";
import type { Stage } from "../settings/stage.ts";
import { SiblingStack } from "../stacks/sibling-stack.ts";
import { monitoringSuffix } from "./monitoring-names.ts";

/**
 * Alarms in the stage's own region, which would take a tenth of the 500 resources of the stage's own stack. It is deployed after that, whose
 * outputs it reads (docs/decisions/0041-what-a-deployment-may-do.md#all-stacks-of-a-stage-are-one-app).
 */
export class MonitoringStack extends SiblingStack {
  constructor(service: Stack, stage: Stage) {
    super(service, {
      suffix: monitoringSuffix,
      region: stage.region,
      description: `what of ${stage.name} is watched in ${stage.region}`,
    });
  }
}
