import type { App, Stack } from "aws-cdk-lib";
import { options } from "../../options/infra.ts";
import { GamesOriginStack } from "../games/games-origin-stack.ts";
import { EdgeAlarmsStack, isWatchedAtEdge } from "../monitoring/games-alarms.ts";
import { ServiceStack, type ServiceStackProps } from "./service-stack.ts";

/**
 * Adds the stacks of a stage to an app and returns them in the order of deployment, which their dependencies tell the CDK too: a
 * stack reads outputs of the one before it. That of the pipeline is not among them, because `cdk deploy --all` must not touch it.
 */
export function addStacksOf(app: App, props: ServiceStackProps): Stack[] {
  const { stage, code } = props;
  const before = stage.gamesDomain ? [new GamesOriginStack(app, { stage, code: code("games-origin") })] : [];
  const service = new ServiceStack(app, props);
  const after: Stack[] = options.flatMap(({ stacks }) => stacks?.(app, stage) ?? []);
  if (isWatchedAtEdge(stage)) after.push(new EdgeAlarmsStack(app, stage));
  for (const stack of before) service.addStackDependency(stack, "runs the function that it deploys");
  for (const stack of after) stack.addStackDependency(service, "reads its outputs");
  return [...before, service, ...after];
}
