import type { Stage } from "../settings/stage.ts";

/* Names in a stage's games that stacks, commands and checks share. Without the CDK, which takes a command seconds to load. */

/** The output of the stage's stack with the id of the games' distribution. */
export const distributionOutput = "GamesDistributionId";

/** The output with the games domain, by which the operator's commands find it in somebody's own app. */
export const domainOutput = "GamesDomain";

/** The last part of the name of Lambda@Edge's log groups. */
export const originLog = "games-origin";

/**
 * Name of the log group in each region in which Lambda@Edge runs. A group of that name keeps lines as long as its own retention says; the
 * default one, which AWS makes, never deletes them
 * (https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/edge-functions-logs.html).
 */
export function originLogName({ name }: Pick<Stage, "name">): string {
  return `/svc/${name}/${originLog}`;
}

/** The stacks of all codes at the edge that a stage has had, by their names. */
export function isGamesOriginStack({ name }: Pick<Stage, "name">, stack: string): boolean {
  return new RegExp(`^svc-${name}-games-[0-9a-f]{8}$`).test(stack);
}
