import { kebabCase, type RouteName } from "../../contract/api/routes.ts";
import { withGames } from "./synthesis/settings.ts";
import type { Synthesised, SynthesisRequest } from "./synthesis/templates.ts";

/*
 * Templates of the example stages. Each is synthesised once for all test files of a worker, in the worker's own modules
 * (test/support/environment.js): loading the CDK takes a second, and each template half of one.
 */

declare global {
  var synthesiseOnce: (request: SynthesisRequest) => Synthesised;
}

/** A resource of a synthesised template. */
export interface Resource {
  readonly Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: a template is whatever JSON CloudFormation takes
  readonly Properties: any;
  readonly DependsOn?: readonly string[];
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
}

export type Resources = Readonly<Record<string, Resource>>;

function resourcesOf(request: SynthesisRequest): Resources {
  return JSON.parse(globalThis.synthesiseOnce(request).template).Resources;
}

/**
 * The resources of a stage in its region by their logical ids, with some values of its configuration changed: of its own stack, and of the
 * one with its alarms, as if both were one.
 */
export function synthesise(stage: string, changes: object = {}): Resources {
  return resourcesOf({ stack: "region", stage, changes });
}

/** The resources of the stack with the alarms of a stage's region. */
export function synthesiseMonitoring(stage: string, changes: object = {}): Resources {
  return resourcesOf({ stack: "monitoring", stage, changes });
}

/** Configuration of a stage's dashboard, as it is copied into its bucket; what the deployment alone knows is a marker. */
export function dashboardConfiguration(stage: string, changes: object = {}): object {
  return JSON.parse(globalThis.synthesiseOnce({ stack: "region", stage, changes }).configuration ?? "");
}

/** HTML of a stage's dashboard, as {@link dashboardConfiguration}: a link to a picture of it. */
export function dashboardPage(stage: string, changes: object = {}): string | undefined {
  return globalThis.synthesiseOnce({ stack: "region", stage, changes }).page;
}

/** The resources of the stack in us-east-1 that a stage with a games' edge has beside its own. */
export function synthesiseGamesOrigin(stage: string, originCode = "1"): Resources {
  return resourcesOf({ stack: "games", stage, changes: withGames(stage), originCode });
}

/** The resources of the stack in us-east-1 that an option has: it delivers the log of a stage's games. */
export function synthesiseOptionStack(stage: string): Resources {
  return resourcesOf({ stack: "option", stage, changes: withGames(stage) });
}

/** The resources of the stack in us-east-1 that watches the games of a stage in another region. */
export function synthesiseEdgeAlarms(stage: string, changes: object): Resources {
  return resourcesOf({ stack: "edgeAlarms", stage, changes });
}

/** The resources of the stack in us-east-1 with the certificates of CloudFront's names of a stage in another region. */
export function synthesiseEdgeCertificates(stage: string, changes: object): Resources {
  return resourcesOf({ stack: "certificates", stage, changes });
}

/** The resources of the stack with the roles with which GitHub deploys a stage. */
export function synthesisePipeline(stage: string, changes: object = {}): Resources {
  return resourcesOf({ stack: "pipeline", stage, changes });
}

/** The resources of one type. */
export function ofType(resources: Resources, type: string): Resource[] {
  return Object.values(resources).filter(({ Type }) => Type === type);
}

/** The one resource of its type. */
export function only(resources: Resources, type: string): Resource {
  const [resource, ...others] = ofType(resources, type);
  if (resource === undefined || others.length > 0) throw new Error(`Not exactly one ${type}`);
  return resource;
}

/** The function of a route, found by the name that a person sees in the console. */
export function functionOf(resources: Resources, name: RouteName): [id: string, lambda: Resource] {
  const found = Object.entries(resources).find(([, { Properties }]) =>
    Properties.FunctionName?.endsWith?.(`-${kebabCase(name)}`),
  );
  if (found === undefined) throw new Error(`No function for ${name}`);
  return found;
}

/** The statements of each role by its logical id: those inside it, and those of policies beside it. */
export function statementsOfRoles(resources: Resources): Record<string, Resource["Properties"][]> {
  const roles = Object.entries(resources).filter(([, { Type }]) => Type === "AWS::IAM::Role");
  const beside = ofType(resources, "AWS::IAM::Policy").map(({ Properties }) => Properties);
  return Object.fromEntries(
    roles.map(([id, { Properties }]) => {
      const policies = [...(Properties.Policies ?? []), ...beside.filter(({ Roles }) => Roles[0].Ref === id)];
      return [id, policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement)];
    }),
  );
}

/** The statements of the role of a function. */
export function statementsOfFunction(resources: Resources, { Properties }: Resource): Resource["Properties"][] {
  return statementsOfRoles(resources)[Properties.Role["Fn::GetAtt"][0]] ?? [];
}

/** The statements of the role of a route's function. */
function statementsOf(resources: Resources, name: RouteName): Resource["Properties"][] {
  const [, lambda] = functionOf(resources, name);
  const role = lambda.Properties.Role["Fn::GetAtt"][0];
  if (resources[role]?.Properties.ManagedPolicyArns) throw new Error(`${role} has policies that are not ours`);
  return statementsOfFunction(resources, lambda);
}

/** The partitions of the table that a route's function may use; every permission on the table must have the condition. */
export function leadingKeysOf(resources: Resources, name: RouteName): string[] {
  return statementsOf(resources, name)
    .filter(({ Action }) => [Action].flat().some((action) => action.startsWith("dynamodb:")))
    .flatMap(({ Condition }) => Condition?.["ForAllValues:StringLike"]?.["dynamodb:LeadingKeys"] ?? ["any"])
    .toSorted();
}

/** Permissions of a route's function for each part of the stack, such as `s3:GetObject Files/projects/*`, in order. */
export function permissionsOf(resources: Resources, name: RouteName): string[] {
  return statementsOf(resources, name)
    .flatMap(({ Effect, Action, Resource: places, Condition }) => {
      if (Effect !== "Allow") throw new Error("A policy of a function denies something");
      const prefix = Condition?.StringLike?.["s3:prefix"];
      const condition = prefix === undefined ? "" : ` of ${prefix}`;
      return [places]
        .flat()
        .flatMap((place) => [Action].flat().map((action) => `${action} ${partOf(place)}${condition}`));
    })
    .toSorted();
}

/** The part of the stack that a policy's resource is, without the digest of its logical id. */
function partOf(place: Resource["Properties"]): string {
  if (typeof place === "string") return place;
  const [part, rest] = place["Fn::Join"]?.[1] ?? [place, ""];
  return part["Fn::GetAtt"][0].slice(0, -8) + rest;
}
