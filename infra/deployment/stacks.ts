import { setTimeout as delay } from "node:timers/promises";
import { isGamesOriginStack } from "../games/games-names.ts";
import { edgeRegion } from "../hosts/domains.ts";
import { monitoringSuffix } from "../monitoring/monitoring-names.ts";
import { ConfigurationError, type Stage } from "../settings/stage.ts";
import type { Aws, Json, MadeResource, StackPlace } from "./aws-command.ts";
import { deleteMade, refuseData } from "./leftovers.ts";
import { describeStack } from "./stack-outputs.ts";

/*
 * Stacks of CloudFormation as they are, and the steps that bring one into a state in which it can be deployed
 * (https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/view-stack-events.html#cfn-console-view-stack-data-resources-status-codes).
 */

/** First step of a deployment of a stack: made, changed, made again, or changed after its rollback is finished. */
export type StackStep = "create" | "update" | "remake" | "continueRollback" | "rollBack";

const steps: Readonly<Record<string, StackStep>> = {
  // A change set was made for it, and nothing else.
  REVIEW_IN_PROGRESS: "create",
  DELETE_COMPLETE: "create",
  CREATE_COMPLETE: "update",
  UPDATE_COMPLETE: "update",
  UPDATE_ROLLBACK_COMPLETE: "update",
  IMPORT_COMPLETE: "update",
  IMPORT_ROLLBACK_COMPLETE: "update",
  CREATE_FAILED: "remake",
  ROLLBACK_COMPLETE: "remake",
  ROLLBACK_FAILED: "remake",
  DELETE_FAILED: "remake",
  UPDATE_ROLLBACK_FAILED: "continueRollback",
  UPDATE_FAILED: "rollBack",
};

/** States of a stack that was never complete, so that it has no data of anybody. */
const neverComplete = ["CREATE_FAILED", "ROLLBACK_COMPLETE", "ROLLBACK_FAILED"];

/**
 * The stack once nothing changes it any more: whatever is in progress is waited for.
 *
 * @param tell gets one line if there is something to wait for
 */
export async function settledStack(place: StackPlace, tell: (line: string) => void): Promise<Json | undefined> {
  for (let attempt = 0; ; attempt += 1) {
    const stack = await describeStack(place);
    const status: string | undefined = stack?.StackStatus;
    if (!status?.endsWith("_IN_PROGRESS") || status === "REVIEW_IN_PROGRESS") return stack;
    if (attempt === 0) tell(`Waiting for the stack ${place.name} in ${place.region}: ${status}.`);
    await delay(Math.min(1_000 * (attempt + 1), 10_000));
  }
}

/** @throws ConfigurationError for a state out of which only a person finds */
export function stepOf({ name, region }: StackPlace, stack: Json | undefined): StackStep {
  if (stack === undefined) return "create";
  const step = steps[stack.StackStatus];
  if (step !== undefined) return step;
  throw new ConfigurationError(
    `The stack ${name} in ${region} is ${stack.StackStatus}, which no deployment can change: look at it in the console of CloudFormation.`,
  );
}

/**
 * Brings a stack into a state in which it can be deployed.
 *
 * @throws ConfigurationError with CloudFormation's reasons if it stays as it is
 */
export async function makeDeployable(place: StackPlace, step: StackStep, tell: (line: string) => void): Promise<void> {
  const { aws, name } = place;
  if (step === "remake") await removeFailed(place, tell);
  if (step === "continueRollback") await aws("cloudformation", "continue-update-rollback", "--stack-name", name);
  if (step === "rollBack") await aws("cloudformation", "rollback-stack", "--stack-name", name);
  if (step !== "continueRollback" && step !== "rollBack") return;
  const { StackStatus: status } = await settledStack(place, tell);
  if (steps[status] !== "update")
    throw new ConfigurationError(
      [`The rollback of ${name} ended in ${status}:`, ...(await failuresOf(place))].join("\n  "),
    );
}

/**
 * Deletes a stack, also a protected one, and waits until it is gone.
 *
 * @throws ConfigurationError with CloudFormation's reasons if something of it cannot be deleted
 */
export async function deleteStack(place: StackPlace, tell: (line: string) => void): Promise<void> {
  const { aws, name } = place;
  if ((await settledStack(place, tell)) === undefined) return;
  await aws(
    "cloudformation",
    "update-termination-protection",
    "--stack-name",
    name,
    "--no-enable-termination-protection",
  );
  await aws("cloudformation", "delete-stack", "--stack-name", name);
  const left = await settledStack(place, tell);
  if (left !== undefined && left.StackStatus !== "DELETE_COMPLETE")
    throw new ConfigurationError(
      [`The stack ${name} in ${place.region} is ${left.StackStatus}:`, ...(await failuresOf(place))].join("\n  "),
    );
}

/** Everything that a stack has made and not deleted again. */
export async function resourcesOf({ aws, name }: StackPlace): Promise<MadeResource[]> {
  const { StackResourceSummaries: all } = await aws("cloudformation", "list-stack-resources", "--stack-name", name);
  return all.flatMap(({ ResourceType: type, PhysicalResourceId: made, ResourceStatus: status }: Json) =>
    made === undefined || made === "" || status === "DELETE_COMPLETE" ? [] : [{ type, name: made }],
  );
}

/** Deletes a stack whose creation failed, with what it made and CloudFormation keeps. */
async function removeFailed(place: StackPlace, tell: (line: string) => void): Promise<void> {
  const status: string | undefined = (await describeStack(place))?.StackStatus;
  const made = neverComplete.includes(status ?? "") ? await resourcesOf(place) : [];
  await refuseData(place, made);
  await deleteStack(place, tell);
  await deleteMade(place, made, tell);
}

/** Why the last operation on a stack failed: a line for each resource, the first five. */
export async function failuresOf({ aws, name }: StackPlace): Promise<string[]> {
  const { StackEvents: events } = await aws("cloudformation", "describe-stack-events", "--stack-name", name);
  const begin = events.findIndex(
    ({ ResourceType: type, ResourceStatusReason: reason, PhysicalResourceId: made, StackId: stack }: Json) =>
      type === "AWS::CloudFormation::Stack" && made === stack && reason === "User Initiated",
  );
  const recentEvents: Json[] = begin === -1 ? events : events.slice(0, begin);
  return recentEvents
    .filter(
      ({ ResourceStatus: status, ResourceStatusReason: reason = "" }) =>
        status.endsWith("_FAILED") && !/cancelled|The following resource\(s\)/.test(reason),
    )
    .toReversed()
    .slice(0, 5)
    .map(({ LogicalResourceId: id, ResourceType: type, ResourceStatusReason: reason }) => `${id} (${type}): ${reason}`);
}

/** Ends of the names of a stage's stacks in the order in which they can be deleted; last are those of Lambda@Edge. The pipeline's has no data, and stays. */
const order = ["-alarms", `-${monitoringSuffix}`, "-games-log", "", "-certificates"];

/** The stacks of a stage that exist, whether or not its settings still have them, in the order in which they can be deleted. */
export async function stacksOf(stage: Stage, command: (region: string) => Aws): Promise<StackPlace[]> {
  const stackNames = order.map((end) => `svc-${stage.name}${end}`);
  const rank = (name: string) => (stackNames.includes(name) ? stackNames.indexOf(name) : stackNames.length);
  const query = "StackSummaries[?StackStatus!='DELETE_COMPLETE'].StackName";
  const inRegion = async (region: string): Promise<StackPlace[]> => {
    const aws = command(region);
    // The command line prints null for a list that is empty.
    const names: string[] = (await aws("cloudformation", "list-stacks", "--query", query)) ?? [];
    return names
      .filter((name) => stackNames.includes(name) || isGamesOriginStack(stage, name))
      .map((name) => ({ name, region, aws }));
  };
  const stacks = await Promise.all([...new Set([stage.region, edgeRegion])].map(inRegion));
  return stacks.flat().toSorted((one, other) => rank(one.name) - rank(other.name));
}
