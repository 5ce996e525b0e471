import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { serviceVersion } from "../contract/api/version.ts";
import { outdatedPolicies, type PolicyChange, writePolicy } from "./account-policies.ts";
import { askOnTerminal, findOrAskStage, leaveTerminal } from "./deploy-questions.ts";
import { type Aws, awsCommand, type Json } from "./deployed-stage.ts";
import { createFirstDeveloper, refuseFirstDeveloper } from "./first-developer.ts";
import { appArguments, assemblies, commands, home, wrongOption } from "./home.ts";
import { ConfigurationError, type Stage } from "./stage.ts";

/*
 * `npm run deploy -- STAGE`, or from the package `npx --no @svc-publish/cdk deploy STAGE`: checks, shows what it will do, asks once, prepares the account, deploys every stack of the stage in order,
 * and says what is left for a person. `--yes` asks nothing; `--stages FILE` reads another file than svc.stages.json; `--first-developer
 * EMAIL` ends with a token of that person. It calls the command lines of AWS and of the CDK alone, so AWS_PROFILE, AWS_REGION and
 * AWS_ENDPOINT_URL are theirs.
 */

const usage = `Usage: ${commands.deploy} STAGE [--yes] [--stages FILE] [--first-developer EMAIL]

  --yes                    asks nothing
  --stages FILE            reads another file of stages than your own
  --first-developer EMAIL  ends with a token of that person`;

/** Work to be done before the stacks can be deployed. */
interface Plan {
  readonly stacks: readonly { readonly name: string; readonly region: string; readonly isNew: boolean }[];
  /** Deployed version; undefined if none is. */
  readonly version: string | undefined;
  readonly policies: readonly PolicyChange[];
  /** The regions without the CDK's bootstrap, or with one that lets CloudFormation do something else. */
  readonly bootstrap: readonly string[];
}

/** Runs a program with its output on this terminal. */
function run(program: string, ...args: string[]): void {
  execFileSync(program, args, { cwd: home, stdio: ["ignore", "inherit", "inherit"] });
}

async function deploy(args: readonly string[]): Promise<void> {
  const { values, positionals } = read(args);
  if (values.help) return console.log(usage);
  const email = values["first-developer"];
  const [name] = positionals;
  if (name === undefined || positionals.length > 1) throw new ConfigurationError(`Say which stage.\n${usage}`);
  const account = await accountOfCredentials();
  const region = process.env["AWS_REGION"] ?? process.env["AWS_DEFAULT_REGION"];
  const stage = await findOrAskStage(name, { path: values.stages, account, region, ask: askOnTerminal });
  if (email !== undefined) refuseFirstDeveloper(stage, email, process.env);
  await refuseWrong(stage, account);
  const assembly = join(home, assemblies, name);
  const context = ["-c", `stage=${name}`, ...(values.stages === undefined ? [] : ["-c", `stages=${values.stages}`])];
  run("cdk", "synth", ...appArguments, ...context, "--quiet", "--output", assembly);
  const plan = await planOf(stage, assembly);
  show(stage, plan);
  if (email !== undefined) console.log(`  create   developer ${email}, with a token that is printed here`);
  if (!values.yes && !/^y(es)?$/i.test(await askOnTerminal("Do it? [y/N]"))) return console.log("Nothing was changed.");
  await prepare(stage, plan, assembly);
  run("cdk", "deploy", "--app", assembly, "--all", "--require-approval", "never");
  const outputs = (await outputsOf(stage)) ?? new Map<string, string>();
  showRest(stage, outputs);
  const api = outputs.get("ApiAddress") ?? "";
  if (email === undefined) return console.log(`\nThen sign in:\n  svc login --api ${api}`);
  const operatorArguments = ["--stage", name, ...(values.stages === undefined ? [] : ["--stages", values.stages])];
  const aws = awsCommand(stage.region);
  const token = await createFirstDeveloper({ stage, email, api, outputs, aws, operatorArguments });
  console.log(`\nThe token of ${email}, valid for 90 days and shown only now:\n  ${token}`);
  console.log(`\nThen sign in, which reads it from standard input:\n  svc login --api ${api} --token -`);
}

function read(args: readonly string[]) {
  const options = {
    help: { type: "boolean", short: "h" },
    yes: { type: "boolean" },
    stages: { type: "string" },
    "first-developer": { type: "string" },
  } as const;
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options });
  } catch (error) {
    throw new ConfigurationError(`${wrongOption(error)}\n${usage}`);
  }
}

/** @throws ConfigurationError if there is no command line of AWS, or no credentials */
async function accountOfCredentials(): Promise<string> {
  try {
    const { Account } = await awsCommand(process.env["AWS_REGION"] ?? "us-east-1")("sts", "get-caller-identity");
    return Account;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT")
      throw new ConfigurationError("There is no program `aws`: install the AWS CLI.");
    throw new ConfigurationError(`AWS takes no credentials from here (AWS_PROFILE?): ${firstLine(error)}`);
  }
}

/** @throws ConfigurationError every fault that a deployment would meet, a line each */
async function refuseWrong(stage: Stage, account: string): Promise<void> {
  if (stage.account !== account)
    throw new ConfigurationError(
      `The stage ${stage.name} is of account ${stage.account}, your credentials are of ${account}.`,
    );
  const faults = [await quotaFault(stage), ...(await Promise.all(certificateArns(stage).map(certificateFault)))];
  const found = faults.flatMap((fault) => fault ?? []);
  if (found.length > 0) throw new ConfigurationError(found.join("\n"));
}

async function quotaFault({ region, concurrentExecutions }: Stage): Promise<string | undefined> {
  const { AccountLimit } = await awsCommand(region)("lambda", "get-account-settings");
  const quota: number = AccountLimit.ConcurrentExecutions;
  return quota >= concurrentExecutions
    ? undefined
    : `concurrentExecutions is ${concurrentExecutions}, and the account's quota is ${quota}: enter that, or ask for more in Service Quotas.`;
}

function certificateArns({ domain, dashboard, gamesDomain }: Stage): string[] {
  return [domain, dashboard?.domain, gamesDomain].flatMap((named) => named?.certificateArn ?? []);
}

async function certificateFault(arn: string): Promise<string | undefined> {
  const region = arn.split(":")[3] ?? "";
  try {
    const { Certificate } = await awsCommand(region)("acm", "describe-certificate", "--certificate-arn", arn);
    return Certificate.Status === "ISSUED"
      ? undefined
      : `${arn} is ${Certificate.Status}, not ISSUED: is its DNS record there?`;
  } catch (error) {
    return `${arn}: ${firstLine(error)}`;
  }
}

async function planOf(stage: Stage, assembly: string): Promise<Plan> {
  const names = execFileSync("cdk", ["ls", "--app", assembly], { cwd: home, encoding: "utf8" }).trim().split("\n");
  const { artifacts } = JSON.parse(readFileSync(join(assembly, "manifest.json"), "utf8"));
  const stacks = names.map((name) => ({ name, region: String(artifacts[name].environment).split("/").at(-1) ?? "" }));
  const described = stacks.map(async (stack) => ({
    ...stack,
    isNew: (await describeStack(awsCommand(stack.region), stack.name)) === undefined,
  }));
  const regions = [...new Set(stacks.map(({ region }) => region))];
  const prepared = await Promise.all(regions.map((region) => isPrepared(awsCommand(region), stage.account, region)));
  return {
    stacks: await Promise.all(described),
    version: (await outputsOf(stage))?.get("Version"),
    policies: await outdatedPolicies(awsCommand(stage.region), stage.account),
    bootstrap: regions.filter((_, index) => !prepared[index]),
  };
}

/** A stack as CloudFormation describes it; undefined: there is none. */
async function describeStack(aws: Aws, stack: string): Promise<Json | undefined> {
  try {
    const { Stacks } = await aws("cloudformation", "describe-stacks", "--stack-name", stack);
    return Stacks[0];
  } catch (error) {
    if ((error as Error).message.includes("does not exist")) return undefined;
    throw error;
  }
}

/** Whether the region has the CDK's bootstrap, whose role for CloudFormation has the project's policy and no other. */
async function isPrepared(aws: Aws, account: string, region: string): Promise<boolean> {
  if ((await describeStack(aws, "CDKToolkit")) === undefined) return false;
  const role = `cdk-hnb659fds-cfn-exec-role-${account}-${region}`;
  const { AttachedPolicies } = await aws("iam", "list-attached-role-policies", "--role-name", role);
  return AttachedPolicies.length === 1 && AttachedPolicies[0].PolicyName === "svc-execution";
}

function show({ name, account }: Stage, { stacks, version, policies, bootstrap }: Plan): void {
  const before =
    version === undefined || version === serviceVersion ? "" : `, in place of ${version}: see CHANGELOG.md`;
  console.log(`\nThe stage ${name} in the account ${account}, version ${serviceVersion}${before}:`);
  for (const policy of policies) console.log(`  ${policy.change.padEnd(8)} policy ${policy.name}`);
  for (const region of bootstrap) console.log(`  prepare  ${region} for the CDK`);
  for (const { name: stack, region, isNew } of stacks)
    console.log(`  ${isNew ? "create  " : "update  "} stack ${stack} in ${region}`);
}

async function prepare(
  { account, region: own }: Stage,
  { policies, bootstrap }: Plan,
  assembly: string,
): Promise<void> {
  for (const policy of policies) await writePolicy(awsCommand(own), account, policy);
  // Without the policy the CDK would give CloudFormation AdministratorAccess.
  const limits = ["--cloudformation-execution-policies", `arn:aws:iam::${account}:policy/svc-execution`];
  // Without an assembly it would make one in cdk.out, as another deployment from this folder does at the same time.
  for (const region of bootstrap) run("cdk", "bootstrap", `aws://${account}/${region}`, "--app", assembly, ...limits);
}

/** Outputs of the stage's own stack; undefined if there is none. */
async function outputsOf({ name, region }: Stage): Promise<ReadonlyMap<string, string> | undefined> {
  const stack = await describeStack(awsCommand(region), `svc-${name}`);
  return stack && new Map((stack.Outputs ?? []).map(({ OutputKey, OutputValue }: Json) => [OutputKey, OutputValue]));
}

/** Steps that only a person can take. */
function showRest(stage: Stage, outputs: ReadonlyMap<string, string>): void {
  const { domain, dashboard, gamesDomain, alarmEmail, identityProvider } = stage;
  const records = [
    [domain?.name, outputs.get("DomainTarget")],
    [dashboard?.domain.name, outputs.get("DashboardTarget")],
    [gamesDomain && `*.${gamesDomain.name}`, outputs.get("GamesTarget")],
  ].filter(([name]) => name !== undefined);
  console.log("\nDeployed. What is left for you:");
  console.log(`  confirm the subscription of alarms, by the link in the mail of AWS Notifications to ${alarmEmail}`);
  if (records.length > 0) {
    console.log("  make these DNS records, each a CNAME, or an alias if your DNS has them:");
    const width = Math.max(...records.map(([name = ""]) => name.length));
    for (const [name = "", target] of [["name", "points to"], ...records])
      console.log(`    ${name.padEnd(width)}  ${target}`);
  }
  if (dashboard && identityProvider !== "cognito")
    console.log(`  register https://${dashboard.domain.name} with the identity provider: docs/operations/dashboard.md`);
}

function firstLine(error: unknown): string {
  const { stderr, message } = error as Error & { stderr?: string };
  return (stderr || message).trim().split("\n")[0] ?? "";
}

/** Runs the command with these arguments, and says in a sentence what went wrong. */
export async function runDeploy(args: readonly string[]): Promise<void> {
  try {
    await deploy(args);
  } catch (error) {
    if (error instanceof ConfigurationError) console.error(error.message);
    // A program of AWS or of the CDK has already said what it has to say.
    else console.error(firstLine(error));
    process.exitCode = 1;
  } finally {
    leaveTerminal();
  }
}

if (import.meta.main) await runDeploy(process.argv.slice(2));
