import { Duration } from "aws-cdk-lib";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import type { Bucket } from "aws-cdk-lib/aws-s3";
import type { Construct } from "constructs";
import { publishScheduled } from "../../functions/access.ts";
import { acknowledgeResources, partsOf } from "../api/route-function.ts";
import { environmentOf } from "../lambda/function-environment.ts";
import type { FunctionParts } from "../lambda/function-settings.ts";
import { type AlarmDefinition, noRun, period } from "../monitoring/alarm-definition.ts";
import { ScheduledFunction } from "./scheduled-function.ts";

interface ScheduledPublicationsProps extends FunctionParts {
  readonly bucket: Bucket;
  readonly gamesStoreArn: string | undefined;
}

/** A run waits so long for a time to come. The next run, a minute after it, is in time for what comes later. */
const waitSeconds = 40;

/**
 * The function that makes scheduled releases live (docs/decisions/0078-live-at-an-hour.md). It may do what the route that publishes may,
 * and read what is due.
 */
export function createScheduledPublications(scope: Construct, props: ScheduledPublicationsProps): IFunction {
  const { bucket, gamesStoreArn, ...parts } = props;
  const { environment, permissions } = partsOf(publishScheduled, props);
  const job = new ScheduledFunction(scope, "ScheduledPublications", {
    ...parts,
    name: "publish-scheduled",
    description: "Makes scheduled releases live at their time",
    every: Duration.minutes(1),
    memorySize: publishScheduled.memoryMebibytes,
    timeout: Duration.seconds(58),
    environment: {
      ...environmentOf(parts.stage, publishScheduled.settings),
      ...environment,
      SCHEDULE_WAIT_SECONDS: String(waitSeconds),
    },
  });
  for (const permission of permissions) job.lambda.addToRolePolicy(permission);
  acknowledgeResources(job, bucket);
  return job.lambda;
}

/** The alarms of what goes live at a time: it does not. */
export function scheduledPublicationAlarms(job: IFunction): AlarmDefinition[] {
  return [
    {
      name: "ScheduledFailing",
      metric: job.metricErrors({ period }),
      description: "A scheduled release could not go live in a run; a minute after its time its schedule ends.",
    },
    noRun({
      name: "ScheduledNotRunning",
      lambda: job,
      period,
      description: "The function that makes scheduled releases live has not run for 15 minutes.",
    }),
  ];
}
