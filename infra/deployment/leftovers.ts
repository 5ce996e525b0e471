import { originLogName } from "../games/games-names.ts";
import { edgeRegion } from "../hosts/domains.ts";
import { ConfigurationError, type Stage } from "../settings/stage.ts";
import { type Aws, awsCommand, type MadeResource, type StackPlace } from "./aws-command.ts";

/* What a stage that was given up, or whose creation failed, has left in its account (docs/operations/deploying.md#give-up-a-stage). */

/** Resource that a deleted stack has left. */
export interface Leftover {
  readonly kind: "access log" | "bucket" | "function" | "log group" | "table" | "user pool";
  readonly region: string;
  readonly name: string;
}

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
 * because it is written for hours. The stage must have no stack any more, because what its stacks use looks the same.
 */
export async function findLeftovers(stage: Stage, command = awsCommand): Promise<Leftover[]> {
  const aws = command(stage.region);
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

async function logGroups(aws: Aws, prefix: string): Promise<string[]> {
  const query = ["--query", "logGroups[].logGroupName"];
  return await names(aws, "logs", "describe-log-groups", "--log-group-name-prefix", prefix, ...query);
}

/** Lambda@Edge makes its log group in each region in which it runs. */
async function edgeLogs(stage: Stage, command: typeof awsCommand): Promise<Leftover[]> {
  const name = originLogName(stage);
  const regions = await names(command(stage.region), "ec2", "describe-regions", "--query", "Regions[].RegionName");
  const groupsByRegion = regions.map(async (region): Promise<Leftover[]> => {
    const groups = await logGroups(command(region), name);
    return groups.includes(name) ? [{ kind: "log group", region, name }] : [];
  });
  return (await Promise.all(groupsByRegion)).flat();
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
  leftovers: readonly Leftover[],
  tell: (line: string) => void,
  command = awsCommand,
): Promise<number> {
  let left = 0;
  for (const { kind, region, name } of leftovers) {
    const problem = await deletions[kind](command(region), name).then(
      () => undefined,
      (error: Error) => later.find(([pattern]) => pattern.test(error.message))?.[1] ?? error.message.trim(),
    );
    if (problem !== undefined) left += 1;
    tell(`${kind} ${name} in ${region}: ${problem === undefined ? "deleted" : `NOT deleted: ${problem}`}`);
  }
  return left;
}

/** Kinds of what CloudFormation may keep of a stack that it deletes. */
const kindOf: Readonly<Record<string, Leftover["kind"]>> = {
  "AWS::DynamoDB::GlobalTable": "table",
  "AWS::S3::Bucket": "bucket",
  "AWS::Logs::LogGroup": "log group",
  "AWS::Cognito::UserPool": "user pool",
};

/**
 * Refuses to delete what somebody has used.
 *
 * @param made by a stack whose creation failed
 * @throws ConfigurationError if its table has an item
 */
export async function refuseData({ aws, name }: StackPlace, made: readonly MadeResource[]): Promise<void> {
  for (const { type, name: table } of made) {
    if (kindOf[type] !== "table") continue;
    const count = ["dynamodb", "scan", "--table-name", table, "--select", "COUNT", "--limit", "1", "--no-paginate"];
    const { Count = 0 } = await aws(...count).catch((error: Error) => {
      if (isGone(error)) return {};
      throw error;
    });
    if (Count > 0)
      throw new ConfigurationError(
        `The creation of the stack ${name} failed, but its table ${table} has data: nothing was deleted. If nobody needs the data, delete stack and table yourself.`,
      );
  }
}

/** Deletes what CloudFormation has kept of a stack whose creation failed. */
export async function deleteMade(
  { aws, region }: StackPlace,
  made: readonly MadeResource[],
  tell: (line: string) => void,
): Promise<void> {
  for (const { type, name } of made) {
    const kind = kindOf[type];
    if (kind === undefined) continue;
    // What cannot be deleted is no reason to stop: the new stack makes others.
    await deletions[kind](aws, name).then(
      () => tell(`Deleted the ${kind} ${name} in ${region}, which nobody has used.`),
      (error: Error) => isGone(error) || tell(`NOT deleted: the ${kind} ${name} in ${region}: ${error.message.trim()}`),
    );
  }
}

const isGone = ({ message }: Error) => /ResourceNotFound|NoSuchBucket|NotFoundException|does not exist/.test(message);
