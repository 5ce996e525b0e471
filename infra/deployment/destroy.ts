import { commands } from "../home.ts";
import { ConfigurationError, type Stage } from "../settings/stage.ts";
import { type Aws, awsCommand, type StackPlace } from "./aws-command.ts";
import { deleteLeftovers, findLeftovers, type Leftover } from "./leftovers.ts";
import { deleteStack, resourcesOf, stacksOf } from "./stacks.ts";

/* `npm run deploy -- STAGE --destroy`: ends a stage, and lists or deletes what it stored. */

export interface Destruction {
  readonly stage: Stage;
  /** Whether what the stage stored is deleted too, for good. */
  readonly deletesData: boolean;
  /** Asks before anything is changed. */
  readonly agree: () => Promise<boolean>;
  readonly tell: (line: string) => void;
  readonly command?: (region: string) => Aws;
}

/**
 * Deletes the stacks of a stage, those too that its settings no longer have, but for the pipeline's.
 *
 * @returns whether nothing is left that had to be deleted
 * @throws ConfigurationError with CloudFormation's reasons if a stack cannot be deleted
 */
export async function destroyStage({
  stage,
  deletesData,
  agree,
  tell,
  command = awsCommand,
}: Destruction): Promise<boolean> {
  const { name, account } = stage;
  const stacks = await stacksOf(stage, command);
  // While it has stacks, what they use looks like what others have left.
  const leftovers = stacks.length === 0 ? await findLeftovers(stage, command) : [];
  if (stacks.length === 0 && leftovers.length === 0) {
    tell(`The stage ${name} has no stack in the account ${account}, and has left nothing.`);
    return true;
  }
  tell(`\nThe stage ${name} in the account ${account} ends:`);
  for (const { name: stack, region } of stacks) tell(`  delete   stack ${stack} in ${region}`);
  for (const leftover of leftovers) tell(`  ${deletesData ? "DELETE  " : "keep    "} ${inWords(leftover)}`);
  if (stacks.length > 0) tell(`  ${data(stage, deletesData)}`);
  if (stacks.length === 0 && !deletesData) {
    tellOfData(stage, tell);
    return true;
  }
  if (!(await agree())) {
    tell("Nothing was changed.");
    return true;
  }
  for (const place of stacks) {
    if (stage.disposable) await emptyBuckets(place, tell);
    await deleteStack(place, tell);
    tell(`Deleted the stack ${place.name} in ${place.region}.`);
  }
  const left = stacks.length === 0 ? leftovers : await findLeftovers(stage, command);
  if (deletesData) return (await deleteLeftovers(left, tell, command)) === 0;
  for (const leftover of left) tell(`  kept     ${inWords(leftover)}`);
  if (left.length > 0) tellOfData(stage, tell);
  return true;
}

const inWords = ({ kind, name, region }: Leftover) => `${kind} ${name} in ${region}`;

function data({ disposable }: Stage, deletesData: boolean): string {
  if (deletesData || disposable)
    return "DELETE   tables, buckets, logs and user pool, with all accounts and games, for good";
  return "keep     tables, buckets, logs and user pool, which cost on";
}

function tellOfData({ name }: Stage, tell: (line: string) => void): void {
  tell(`That stays, and costs on. To delete it for good: ${commands.deploy} ${name} --destroy --delete-data ${name}`);
}

/** CloudFormation deletes the buckets of a disposable stage, but only empty ones. */
async function emptyBuckets(place: StackPlace, tell: (line: string) => void): Promise<void> {
  for (const { type, name } of await resourcesOf(place)) {
    if (type !== "AWS::S3::Bucket") continue;
    tell(`Emptying the bucket ${name}.`);
    await place.aws("s3", "rm", `s3://${name}`, "--recursive", "--only-show-errors");
  }
}

/** @throws ConfigurationError for options of --destroy that do not fit */
export function refuseDestruction(
  name: string,
  { destroy, data: named }: { readonly destroy: boolean; readonly data: string | undefined },
): void {
  if (named !== undefined && !destroy) throw new ConfigurationError("--delete-data is an option of --destroy.");
  if (named !== undefined && named !== name)
    throw new ConfigurationError(`--delete-data must repeat the stage's name, ${name}: nothing was deleted.`);
}
