import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { serviceVersion } from "../../contract/api/version.ts";
import { distributionOutput } from "../games/games-names.ts";
import { home } from "../home.ts";
import { ConfigurationError, type Stage } from "../settings/stage.ts";
import { outdatedPolicies, type PolicyChange } from "./account-policies.ts";
import { type Aws, awsCommand, type StackPlace } from "./aws-command.ts";
import { describeStack, outputsOf } from "./stack-outputs.ts";
import { type StackStep, settledStack, stacksOf, stepOf } from "./stacks.ts";
import {
  changesOf,
  deployedTemplate,
  replacingProperties,
  type Template,
  type TemplateChanges,
} from "./template-changes.ts";

/* What a deployment of a stage will do, found out before anything is changed. */

interface PlannedStack {
  readonly place: StackPlace;
  readonly step: StackStep;
  /** Its state if it must be brought into another one first. */
  readonly status: string | undefined;
  readonly changes: TemplateChanges;
  /** Whether it is about the games' distribution, whose id is an output of the stage's own stack. */
  readonly readsDistribution: boolean;
}

/** Work of a deployment. */
export interface Plan {
  /** In the order of deployment. */
  readonly stacks: readonly PlannedStack[];
  /** Deployed version; undefined if none is. */
  readonly version: string | undefined;
  readonly policies: readonly PolicyChange[];
  /** The regions without the CDK's bootstrap, or with one that lets CloudFormation do something else. */
  readonly bootstrap: readonly string[];
  /** Stacks of the stage that its settings no longer have, in the order in which they can be deleted. */
  readonly unused: readonly StackPlace[];
}

/** The stage's own stack. */
export function serviceOf({ name, region }: Stage): StackPlace {
  return { name: `svc-${name}`, region, aws: awsCommand(region) };
}

/**
 * Finds out what is to be done; stacks that are changed just now are waited for.
 *
 * @param assembly the folder of the synthesised stacks
 * @throws ConfigurationError for a stack that no deployment can change
 */
export async function planOf(stage: Stage, assembly: string, tell: (line: string) => void): Promise<Plan> {
  const listed = execFileSync("cdk", ["ls", "--app", assembly], { cwd: home, encoding: "utf8" }).trim().split("\n");
  const { artifacts } = JSON.parse(readFileSync(join(assembly, "manifest.json"), "utf8"));
  const names = inOrder(listed, artifacts);
  const service = serviceOf(stage);
  const planned = names.map(async (name) => {
    const region = String(artifacts[name].environment).split("/").at(-1) ?? "";
    const file = artifacts[name].properties.templateFile;
    const next: Template = JSON.parse(readFileSync(join(assembly, file), "utf8"));
    const plan = await planOfStack({ name, region, aws: awsCommand(region) }, next, tell);
    return { ...plan, readsDistribution: name !== service.name && distributionOutput in (next.Outputs ?? {}) };
  });
  const stacks = await Promise.all(planned);
  const regions = [...new Set(stacks.map(({ place }) => place.region))];
  const prepared = await Promise.all(regions.map((region) => isPrepared(awsCommand(region), stage.account, region)));
  return {
    stacks,
    version: (await outputsOf(service))?.get("Version"),
    policies: await outdatedPolicies(awsCommand(stage.region), stage.account),
    bootstrap: regions.filter((_, index) => !prepared[index]),
    unused: (await stacksOf(stage, awsCommand)).filter(({ name }) => !names.includes(name)),
  };
}

/** The stacks with each after those that it reads; `cdk ls` has them as the app made them. */
function inOrder(
  names: readonly string[],
  artifacts: Readonly<Record<string, { readonly dependencies?: readonly string[] }>>,
): string[] {
  const ordered = new Set<string>();
  const add = (name: string) => {
    for (const other of names) if (artifacts[name]?.dependencies?.includes(other)) add(other);
    ordered.add(name);
  };
  names.forEach(add);
  return [...ordered];
}

async function planOfStack(place: StackPlace, next: Template, tell: (line: string) => void) {
  const stack = await settledStack(place, tell);
  const step = stepOf(place, stack);
  const isNew = step === "create" || step === "remake";
  const deployed = isNew ? undefined : await deployedTemplate(place.aws, place.name);
  const status: string | undefined = step === "create" || step === "update" ? undefined : stack?.StackStatus;
  return { place, step, status, changes: await changesOf(deployed, next, replacingProperties(place.aws)) };
}

/** Whether the region has the CDK's bootstrap, whose role for CloudFormation has the project's policy and no other. */
async function isPrepared(aws: Aws, account: string, region: string): Promise<boolean> {
  if ((await describeStack({ aws, name: "CDKToolkit" })) === undefined) return false;
  const role = `cdk-hnb659fds-cfn-exec-role-${account}-${region}`;
  const { AttachedPolicies } = await aws("iam", "list-attached-role-policies", "--role-name", role);
  return AttachedPolicies.length === 1 && AttachedPolicies[0].PolicyName === "svc-execution";
}

/** The plan for a person who is asked whether to do it. */
export function linesOf({ name, account }: Stage, plan: Plan, { prunes }: { readonly prunes: boolean }): string[] {
  const { version, policies, bootstrap, stacks, unused } = plan;
  const replaced =
    version === undefined || version === serviceVersion ? "" : `, in place of ${version}: see CHANGELOG.md`;
  const { AWS_ENDPOINT_URL: endpoint } = process.env;
  const where = endpoint ? `, at ${endpoint} (AWS_ENDPOINT_URL)` : "";
  const remaining = unused.map(({ name: stack, region }) => `stack ${stack} in ${region}`);
  return [
    `\nThe stage ${name} in the account ${account}${where}, version ${serviceVersion}${replaced}:`,
    ...policies.map((policy) => `  ${policy.change.padEnd(8)} policy ${policy.name}`),
    ...bootstrap.map((region) => `  prepare  ${region} for the CDK`),
    ...stacks.flatMap(linesOfStack),
    ...remaining.map((stack) =>
      prunes
        ? `  delete   ${stack}, which the stage no longer has`
        : `  keep     ${stack}, which the stage no longer has: --prune deletes it`,
    ),
  ];
}

function linesOfStack({ place: { name, region }, step, status, changes }: PlannedStack): string[] {
  const { added, changed, removed, named } = changes;
  const stack = `stack ${name} in ${region}`;
  if (step === "create") return [`  create   ${stack}: ${added} resources`];
  if (step === "remake") return [`  remake   ${stack}, which is ${status}: ${added} resources`];
  const first = status === undefined ? "" : `, which is ${status}, once that is undone`;
  const counts = `${added} added, ${changed} changed, ${removed} removed`;
  return [
    `  update   ${stack}${first}: ${added + changed + removed === 0 ? "no change" : counts}`,
    ...named.map(({ id, what, change, properties }) =>
      `             ${change} ${what} ${id}${properties.length === 0 ? "" : ` (${properties.join(", ")})`}`.trimEnd(),
    ),
  ];
}

/**
 * Refuses to lose something without a person.
 *
 * @throws ConfigurationError for each resource with data or players that goes and is not allowed to
 */
export function refuseLoss({ stacks }: Pick<Plan, "stacks">, allowed: readonly string[]): void {
  const lost = stacks.flatMap(({ changes }) => changes.named).filter(({ change }) => change !== "change");
  const refused = lost.filter(({ id }) => !allowed.includes(id));
  if (refused.length > 0)
    throw new ConfigurationError(
      `--yes does not remove or replace what holds data or serves players. If you mean it, add ${refused.map(({ id }) => `--allow ${id}`).join(" ")}`,
    );
}
