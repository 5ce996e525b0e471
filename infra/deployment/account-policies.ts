import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { serviceVersion } from "../../contract/api/version.ts";
import { ConfigurationError } from "../settings/stage.ts";
import type { Aws, Json } from "./aws-command.ts";

/** The two policies of an account, which decide what a deployment may do (docs/decisions/0041-what-a-deployment-may-do.md). */
const policies = { "svc-boundary": "permissions-boundary.json", "svc-execution": "execution-policy.json" } as const;

/** A policy as IAM stores it. */
interface PolicyDocument {
  readonly Version: string;
  readonly Statement: readonly PolicyStatement[];
}

interface PolicyStatement {
  readonly Sid: string;
  readonly Effect: "Allow" | "Deny";
  readonly Action: string | readonly string[];
  readonly [member: string]: unknown;
}

export interface PolicyChange {
  readonly name: keyof typeof policies;
  readonly change: "create" | "update";
  /** What the policy allows while stages of other versions exist: all that the deployed one allows, and all that this version's does. */
  readonly union: PolicyDocument;
}

const fileOf = (name: keyof typeof policies) => join(import.meta.dirname, policies[name]);
const arnOf = (account: string, name: string) => `arn:aws:iam::${account}:policy/${name}`;
const read = (name: keyof typeof policies): PolicyDocument => JSON.parse(readFileSync(fileOf(name), "utf8"));

/** Policies that the account lacks, or has as another version of this repository wrote them. */
export async function outdatedPolicies(aws: Aws, account: string): Promise<PolicyChange[]> {
  const changes: PolicyChange[] = [];
  for (const name of Object.keys(policies) as (keyof typeof policies)[]) {
    const deployed = await defaultVersion(aws, arnOf(account, name));
    const policy = read(name);
    if (deployed === undefined) changes.push({ name, change: "create", union: policy });
    else if (!isDeepStrictEqual(deployed, policy))
      changes.push({ name, change: "update", union: unionOf(deployed, policy) });
  }
  return changes;
}

/**
 * A policy that allows what either of two does. What the second one denies stays denied: a new denial mends something.
 *
 * @throws ConfigurationError if it is longer than IAM takes
 */
export function unionOf(deployed: PolicyDocument, policy: PolicyDocument): PolicyDocument {
  const statements = policy.Statement.map((statement): PolicyStatement => {
    const former = deployed.Statement.find((other) => statement.Effect === "Allow" && isForTheSame(other, statement));
    return former === undefined
      ? statement
      : { ...statement, Action: [...new Set([former.Action, statement.Action].flat())].toSorted() };
  });
  const others = deployed.Statement.filter(
    (former) => former.Effect === "Allow" && !policy.Statement.some((statement) => isForTheSame(former, statement)),
  ).map((former, index) => ({ ...former, Sid: `Before${index}` }));
  const union = { ...policy, Statement: [...statements, ...others] };
  // IAM does not count white space.
  if (JSON.stringify(union).replaceAll(/\s/g, "").length > 6_144)
    throw new ConfigurationError(
      "The rights of the deployed version and of this one do not fit into one policy: deploy a version between them first (CHANGELOG.md).",
    );
  return union;
}

/** Whether two statements differ in their actions alone. */
function isForTheSame(one: PolicyStatement, other: PolicyStatement): boolean {
  return isDeepStrictEqual({ ...one, Action: "" }, { ...other, Action: "" });
}

/** The document that is in force; undefined: there is no such policy. */
async function defaultVersion(aws: Aws, arn: string): Promise<Json | undefined> {
  const response = await aws("iam", "get-policy", "--policy-arn", arn).catch((error: Error) => {
    if (error.message.includes("NoSuchEntity")) return undefined;
    throw error;
  });
  if (response === undefined) return undefined;
  const { PolicyVersion } = await aws(
    ...["iam", "get-policy-version", "--policy-arn", arn, "--version-id", response.Policy.DefaultVersionId],
  );
  const { Document } = PolicyVersion;
  return typeof Document === "string" ? JSON.parse(decodeURIComponent(Document)) : Document;
}

/**
 * Gives the account the union, or takes away what only other versions need. IAM keeps five versions of a policy: the oldest one goes if a
 * sixth is made.
 */
export async function writePolicy(
  aws: Aws,
  account: string,
  { name, change, union }: PolicyChange,
  extent: "union" | "own",
): Promise<void> {
  const document = JSON.stringify(extent === "union" ? union : read(name));
  if (change === "create") {
    if (extent === "union") await aws("iam", "create-policy", "--policy-name", name, "--policy-document", document);
    return;
  }
  const arn = arnOf(account, name);
  if (isDeepStrictEqual(await defaultVersion(aws, arn), JSON.parse(document))) return;
  const { Versions } = await aws("iam", "list-policy-versions", "--policy-arn", arn);
  const old = Versions.filter(({ IsDefaultVersion }: Json) => !IsDefaultVersion).toSorted((one: Json, other: Json) =>
    one.CreateDate < other.CreateDate ? -1 : 1,
  );
  if (Versions.length >= 5)
    await aws("iam", "delete-policy-version", "--policy-arn", arn, "--version-id", old[0].VersionId);
  await aws("iam", "create-policy-version", "--policy-arn", arn, "--policy-document", document, "--set-as-default");
}

/** Stages of the account, in every region, that have another version than this one. */
export async function stagesOfOtherVersions(command: (region: string) => Aws, region: string): Promise<string[]> {
  const regions: readonly string[] = await command(region)(
    "ec2",
    "describe-regions",
    "--query",
    "Regions[].RegionName",
  );
  const query = "Stacks[?starts_with(StackName, 'svc-')].[StackName, Outputs[?OutputKey=='Version'].OutputValue | [0]]";
  const inRegion = async (each: string) => {
    const stacks: (readonly [string, string | null])[] | undefined = await command(each)(
      ...["cloudformation", "describe-stacks", "--query", query],
    ).catch(() => undefined);
    if (stacks === undefined) return [`${each} does not say which stages it has`];
    // A stage's other stacks have no version.
    return stacks.flatMap(([stack, version]) =>
      version === null || version === serviceVersion ? [] : [`${stack} in ${each} is ${version}`],
    );
  };
  return (await Promise.all(regions.map(inRegion))).flat();
}
