import { parseArgs } from "node:util";
import { readConfiguredStage } from "../configured-stages.ts";
import { type Aws, awsCommand } from "../deployed-stage.ts";
import { edgeRegion } from "../domains.ts";
import { isGamesOriginStack, originLogName } from "../games-origin-stack.ts";
import { wrongOption } from "../home.ts";
import type { Stage } from "../stage.ts";

/*
 * `node infra/operator/leftovers.ts STAGE` lists what a stage that was given up, or whose first deployment failed, has left in its account;
 * with `--delete STAGE` it deletes that (docs/operations/deploying.md). It uses the AWS command line with your credentials.
 */

const usage = `Usage: node infra/operator/leftovers.ts STAGE [--delete STAGE] [--stages FILE]

Lists what deleted stacks of a stage have left. --delete, with the stage's name once more, deletes it for good. --stages reads the
stage from another file than your own.`;

/** An invalid command line, or a stage that must not be touched. */
export class LeftoversError extends Error {}

/** Resource that a deleted stack has left. */
export interface Leftover {
  readonly kind: "access log" | "bucket" | "function" | "log group" | "table" | "user pool";
  readonly region: string;
  readonly name: string;
}

/** Stacks that must be gone. Only the pipeline's may stay: it has no data, and deploys the stage again. */
const stacksOf = ({ name }: Stage) => ["", "-edge", "-alarms", "-games-log"].map((suffix) => `svc-${name}${suffix}`);

/**
 * Whether CloudFormation made a name for one of these constructs of a stack. The CDK adds eight digits to the construct's name, of which
 * CloudFormation may cut some off, and CloudFormation adds a random part without a hyphen: no other stage's resource looks the same.
 */
function isOf(stack: string, constructs: readonly string[]) {
  const pattern = new RegExp(`^${stack}-(${constructs.join("|")})[0-9A-F]{4,8}-[0-9A-Z]+$`, "i");
  return (name: string) => pattern.test(name);
}

/**
 * Resources that the stage has left, in the order in which they can be deleted: the log of accesses to the bucket last,
 * because it is written for hours.
 *
 * @throws LeftoversError if the credentials are another account's, or a stack of the stage still exists
 */
export async function findLeftovers(stage: Stage, command = awsCommand): Promise<Leftover[]> {
  const aws = command(stage.region);
  const { Account } = await aws("sts", "get-caller-identity");
  if (Account !== stage.account)
    throw new LeftoversError(
      `The stage ${stage.name} is in account ${stage.account}; your credentials are of ${Account}.`,
    );
  await refuseExisting(stage, command);
  const stack = `svc-${stage.name}`;
  const { region } = stage;
  const buckets = await names(aws, "s3api", "list-buckets", "--query", "Buckets[].Name");
  const tables = await names(aws, "dynamodb", "list-tables", "--query", "TableNames");
  const pools = `UserPools[?Name=='${stack}'].Id`;
  const userPools = await names(aws, "cognito-idp", "list-user-pools", "--max-results", "60", "--query", pools);
  const edge = command(edgeRegion);
  const functions = await names(edge, "lambda", "list-functions", "--query", "Functions[].FunctionName");
  const as = (kind: Leftover["kind"], where: string) => (name: string) => ({ kind, region: where, name });
  const isTable = (name: string) => name === stage.restoredTable || isOf(stack, ["Table"])(name);
  return [
    ...functions.filter(isOf(`${stack}-games-[0-9a-f]{8}`, ["Origin"])).map(as("function", edgeRegion)),
    ...tables.filter(isTable).map(as("table", region)),
    ...buckets.filter(isOf(stack, ["Files", "DashboardSiteFiles", "GamesLogBucket"])).map(as("bucket", region)),
    ...(await logGroups(aws, `${stack}-`))
      .filter(isOf(stack, ["FunctionLog", "AccessLog"]))
      .map(as("log group", region)),
    ...userPools.map(as("user pool", region)),
    ...(await edgeLogs(stage, command)),
    ...buckets.filter(isOf(stack, ["FilesAccessLog"])).map(as("access log", region)),
  ];
}

async function names(aws: Aws, ...args: readonly string[]): Promise<string[]> {
  // The command line prints null for a list that is empty.
  return (await aws(...args)) ?? [];
}

async function refuseExisting(stage: Stage, command: typeof awsCommand): Promise<void> {
  const own = new Set(stacksOf(stage));
  for (const region of new Set([stage.region, edgeRegion])) {
    const query = "StackSummaries[?StackStatus!='DELETE_COMPLETE'].StackName";
    const found = (await names(command(region), "cloudformation", "list-stacks", "--query", query)).filter(
      (name) => own.has(name) || isGamesOriginStack(stage, name),
    );
    if (found.length > 0)
      throw new LeftoversError(
        `The stage ${stage.name} still has ${found.join(", ")} in ${region}: delete its stacks first (docs/operations/deploying.md).`,
      );
  }
}

async function logGroups(aws: Aws, prefix: string): Promise<string[]> {
  const query = ["--query", "logGroups[].logGroupName"];
  return await names(aws, "logs", "describe-log-groups", "--log-group-name-prefix", prefix, ...query);
}

/** Lambda@Edge makes its log group in each region in which it runs. */
async function edgeLogs(stage: Stage, command: typeof awsCommand): Promise<Leftover[]> {
  const name = originLogName(stage);
  const regions = await names(command(stage.region), "ec2", "describe-regions", "--query", "Regions[].RegionName");
  const found: Leftover[] = [];
  for (const region of regions)
    if ((await logGroups(command(region), name)).includes(name)) found.push({ kind: "log group", region, name });
  return found;
}

type Deletion = (aws: Aws, name: string) => Promise<void>;

async function deleteBucket(aws: Aws, name: string): Promise<void> {
  await aws("s3", "rm", `s3://${name}`, "--recursive", "--only-show-errors");
  await aws("s3api", "delete-bucket", "--bucket", name);
}

const deletions: Readonly<Record<Leftover["kind"], Deletion>> = {
  "access log": deleteBucket,
  bucket: deleteBucket,
  function: async (aws, name) => void (await aws("lambda", "delete-function", "--function-name", name)),
  "log group": async (aws, name) => void (await aws("logs", "delete-log-group", "--log-group-name", name)),
  table: async (aws, name) => {
    await aws("dynamodb", "update-table", "--table-name", name, "--no-deletion-protection-enabled");
    await aws("dynamodb", "delete-table", "--table-name", name);
  },
  "user pool": async (aws, id) => {
    // This resets its other settings, of which none matters any more.
    await aws("cognito-idp", "update-user-pool", "--user-pool-id", id, "--deletion-protection", "INACTIVE");
    await aws("cognito-idp", "delete-user-pool", "--user-pool-id", id);
  },
};

/** Messages of AWS about something that can only be deleted later, and when that is. */
const later: readonly (readonly [RegExp, string])[] = [
  [/replicated function/i, "CloudFront removes its copies within hours: run the same command again then"],
  [/BucketNotEmpty/, "access logs still arrive: run the same command again in some hours"],
];

/**
 * Deletes them one after the other, also after one has failed.
 *
 * @param tell gets a line for each
 * @returns how many are left
 */
export async function deleteLeftovers(
  found: readonly Leftover[],
  tell: (line: string) => void,
  command = awsCommand,
): Promise<number> {
  let left = 0;
  for (const { kind, region, name } of found) {
    const problem = await deletions[kind](command(region), name).then(
      () => undefined,
      (error: Error) => later.find(([pattern]) => pattern.test(error.message))?.[1] ?? error.message.trim(),
    );
    if (problem !== undefined) left += 1;
    tell(`${kind} ${name} in ${region}: ${problem === undefined ? "deleted" : `NOT deleted: ${problem}`}`);
  }
  return left;
}

/** @throws LeftoversError for a command line that is not as {@link usage} says */
function read(args: readonly string[]) {
  try {
    const { positionals, values } = parseArgs({
      args: [...args],
      options: { delete: { type: "string" }, stages: { type: "string" } },
      allowPositionals: true,
    });
    const [name, ...more] = positionals;
    if (name === undefined || more.length > 0) throw new Error("Name one stage.");
    if (values.delete !== undefined && values.delete !== name)
      throw new Error(`--delete must repeat the stage's name, ${name}: nothing was deleted.`);
    return { name, path: values.stages, deletes: values.delete !== undefined };
  } catch (error) {
    throw new LeftoversError(`${wrongOption(error)}\n${usage}`);
  }
}

/** @returns the exit code: 1 if something could not be deleted, 2 for what was refused */
export async function leftovers(args: readonly string[], tell: (line: string) => void): Promise<number> {
  const { name, path, deletes } = read(args);
  const found = await findLeftovers(readConfiguredStage(name, path));
  if (deletes) return (await deleteLeftovers(found, tell)) > 0 ? 1 : 0;
  for (const { kind, region, name: found_ } of found) tell(`${kind} ${found_} in ${region}`);
  tell(found.length === 0 ? "Nothing is left." : `To delete all ${found.length}, for good: --delete ${name}`);
  return 0;
}

if (import.meta.main)
  leftovers(process.argv.slice(2), console.log).then(
    (code) => {
      process.exitCode = code;
    },
    (error: Error) => {
      console.error(
        error instanceof LeftoversError || error.name === "ConfigurationError" ? error.message : error.stack,
      );
      process.exitCode = 2;
    },
  );
