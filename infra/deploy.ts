import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { limits } from "../contract/api/limits.ts";
import { stagesOfOtherVersions, writePolicy } from "./deployment/account-policies.ts";
import { awsCommand, type StackPlace } from "./deployment/aws-command.ts";
import { linesOf, type Plan, planOf, refuseLoss, serviceOf } from "./deployment/deploy-plan.ts";
import { askOnTerminal, findOrAskStage, leaveTerminal } from "./deployment/deploy-questions.ts";
import { destroyStage, refuseDestruction } from "./deployment/destroy.ts";
import { createFirstDeveloper, refuseFirstDeveloper } from "./deployment/first-developer.ts";
import { outputsOf } from "./deployment/stack-outputs.ts";
import { deleteStack, failuresOf, makeDeployable, settledStack } from "./deployment/stacks.ts";
import { distributionOutput } from "./games/games-names.ts";
import { appArguments, assemblies, commands, home, wrongOption } from "./home.ts";
import { hostedZoneOf } from "./hosts/domains.ts";
import { readConfiguredStage } from "./settings/configured-stages.ts";
import { ConfigurationError, dashboardOf, dashboardOutput, type Stage } from "./settings/stage.ts";

/*
 * `npm run deploy -- STAGE`, or from the package `npx --no @svc-publish/cdk deploy STAGE`: checks, shows what it will do, asks once, prepares the account, deploys every stack of the stage in order,
 * and says what is left for a person. It calls the command lines of AWS and of the CDK alone, so AWS_PROFILE, AWS_REGION and
 * AWS_ENDPOINT_URL are theirs. With `--destroy` it ends the stage (infra/deployment/destroy.ts).
 */

const usage = `Usage: ${commands.deploy} STAGE [--yes [--allow ID …]] [--prune] [--stages FILE] [--first-developer EMAIL]
       ${commands.deploy} STAGE --destroy [--delete-data STAGE] [--yes] [--stages FILE]

  --yes                    asks nothing, and refuses to remove or replace what holds data or serves players
  --allow ID               lets --yes remove or replace this resource; as often as needed
  --prune                  deletes stacks that the stage's settings no longer have
  --stages FILE            reads another file of stages than your own
  --first-developer EMAIL  ends with a token of that person
  --destroy                deletes the stage's stacks, and lists what it has stored, which stays
  --delete-data STAGE      with the stage's name once more: deletes that for good, too`;

async function run(args: readonly string[]): Promise<void> {
  const { values, positionals } = read(args);
  if (values.help) return console.log(usage);
  const [name] = positionals;
  if (name === undefined || positionals.length > 1) throw new ConfigurationError(`Say which stage.\n${usage}`);
  refuseDestruction(name, { destroy: values.destroy ?? false, data: values["delete-data"] });
  if (values.destroy) await destroy(name, values);
  else await deploy(name, values);
}

type Options = ReturnType<typeof read>["values"];

/** Whether a person wants it. */
async function agrees({ yes = false }: Options): Promise<boolean> {
  return yes || /^y(es)?$/i.test(await askOnTerminal("Do it? [y/N]"));
}

async function destroy(name: string, options: Options): Promise<void> {
  const stage = readConfiguredStage(name, options.stages);
  refuseAccount(stage, await accountOfCredentials());
  const deletesData = options["delete-data"] !== undefined;
  const agree = () => agrees(options);
  if (!(await destroyStage({ stage, deletesData, agree, tell: console.log }))) process.exitCode = 1;
}

async function deploy(name: string, options: Options): Promise<void> {
  const email = options["first-developer"];
  const account = await accountOfCredentials();
  const region = process.env["AWS_REGION"] ?? process.env["AWS_DEFAULT_REGION"];
  const stage = await findOrAskStage(name, { path: options.stages, account, region, ask: askOnTerminal });
  if (email !== undefined) refuseFirstDeveloper(stage, email, process.env);
  await refuseWrong(stage, account);
  const assembly = join(home, assemblies, name);
  const context = ["-c", `stage=${name}`, ...(options.stages === undefined ? [] : ["-c", `stages=${options.stages}`])];
  synthesise(context, assembly);
  const plan = await planOf(stage, assembly, console.log);
  for (const line of linesOf(stage, plan, { prunes: options.prune ?? false })) console.log(line);
  if (email !== undefined) console.log(`  create   developer ${email}, with a token that is printed here`);
  if (options.yes) refuseLoss(plan, options.allow ?? []);
  if (!(await agrees(options))) return console.log("Nothing was changed.");
  await prepare(stage, plan, assembly);
  await deployStacks(stage, plan, assembly);
  await narrowPolicies(stage, plan);
  if (options.prune) for (const place of plan.unused) await prune(place);
  const outputs = (await outputsOf(serviceOf(stage))) ?? new Map<string, string>();
  showRest(stage, outputs);
  const api = outputs.get("ApiAddress") ?? "";
  if (email === undefined) return console.log(`\nThen sign in:\n  svc login --api ${api}`);
  const operatorArguments = ["--stage", name, ...(options.stages === undefined ? [] : ["--stages", options.stages])];
  const aws = awsCommand(stage.region);
  const token = await createFirstDeveloper({ stage, email, api, outputs, aws, operatorArguments });
  const days = Math.min(limits.defaultTokenLifetimeDays, stage.maxTokenDays ?? limits.tokenLifetimeDays);
  console.log(`\nThe token of ${email}, valid for ${days} days and shown only now:\n  ${token}`);
  console.log(`\nThen sign in, which reads it from standard input:\n  svc login --api ${api} --token -`);
}

/** Synthesises the stacks, with their warnings on this terminal. */
function synthesise(context: readonly string[], assembly: string): void {
  const { status, stderr, error } = spawnSync(
    "cdk",
    ["synth", ...appArguments, ...context, "--quiet", "--output", assembly],
    { cwd: home, stdio: ["ignore", "inherit", "pipe"], encoding: "utf8" },
  );
  if (error) throw error;
  // Advice for whoever writes the app, not for whoever deploys it.
  process.stderr.write(stderr.replace(/^.*\d+ feature flags are not configured.*\n?/m, ""));
  if (status !== 0) throw new ConfigurationError("The CDK could not synthesise the stacks.");
}

function read(args: readonly string[]) {
  const options = {
    help: { type: "boolean", short: "h" },
    yes: { type: "boolean" },
    allow: { type: "string", multiple: true },
    prune: { type: "boolean" },
    destroy: { type: "boolean" },
    "delete-data": { type: "string" },
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
    throw new ConfigurationError(`AWS takes no credentials from here (AWS_PROFILE?): ${explained(error)}`);
  }
}

/** @throws ConfigurationError if the credentials are of another account than the stage */
function refuseAccount({ name, account }: Stage, caller: string): void {
  if (account !== caller)
    throw new ConfigurationError(`The stage ${name} is of account ${account}, your credentials are of ${caller}.`);
}

/** @throws ConfigurationError every fault that a deployment would meet, a line each */
async function refuseWrong(stage: Stage, account: string): Promise<void> {
  refuseAccount(stage, account);
  const faults = [await quotaFault(stage), ...(await Promise.all(certificateArns(stage).map(certificateFault)))];
  const problems = faults.flatMap((fault) => fault ?? []);
  if (problems.length > 0) throw new ConfigurationError(problems.join("\n"));
}

async function quotaFault({ region, concurrentExecutions }: Stage): Promise<string | undefined> {
  const { AccountLimit } = await awsCommand(region)("lambda", "get-account-settings");
  const quota: number = AccountLimit.ConcurrentExecutions;
  return quota >= concurrentExecutions
    ? undefined
    : `concurrentExecutions is ${concurrentExecutions}, and the account's quota is ${quota}: enter that, or ask for more in Service Quotas.`;
}

function certificateArns(stage: Stage): string[] {
  return [stage.domain, dashboardOf(stage)?.domain, stage.gamesDomain].flatMap((named) => named?.certificateArn ?? []);
}

async function certificateFault(arn: string): Promise<string | undefined> {
  const region = arn.split(":")[3] ?? "";
  try {
    const { Certificate } = await awsCommand(region)("acm", "describe-certificate", "--certificate-arn", arn);
    return Certificate.Status === "ISSUED"
      ? undefined
      : `${arn} is ${Certificate.Status}, not ISSUED: is its DNS record there?`;
  } catch (error) {
    return `${arn}: ${explained(error)}`;
  }
}

async function prepare(
  { account, region: own }: Stage,
  { policies, bootstrap }: Plan,
  assembly: string,
): Promise<void> {
  for (const policy of policies) await writePolicy(awsCommand(own), account, policy, "union");
  // Without the policy the CDK would give CloudFormation AdministratorAccess.
  const execution = ["--cloudformation-execution-policies", `arn:aws:iam::${account}:policy/svc-execution`];
  // Without an assembly it would make one in cdk.out, as another deployment from this folder does at the same time.
  for (const region of bootstrap) {
    const { code, said } = await cdk(
      assembly,
      "bootstrap",
      `aws://${account}/${region}`,
      "--app",
      assembly,
      ...execution,
    );
    if (code !== 0) throw new ConfigurationError(`${region} could not be prepared for the CDK:\n${said}`);
    console.log(`Prepared ${region}.`);
  }
}

/** Takes away the rights that only other versions need, once no stage of the account has another one. */
async function narrowPolicies({ account, region }: Stage, { policies }: Plan): Promise<void> {
  const changed = policies.filter(({ change }) => change === "update");
  if (changed.length === 0) return;
  const others = await stagesOfOtherVersions(awsCommand, region);
  const names = changed.map(({ name }) => name).join(" and ");
  if (others.length > 0) return console.log(`${names} keep the rights of other versions: ${others.join(", ")}.`);
  for (const policy of changed) await writePolicy(awsCommand(region), account, policy, "own");
}

/** @throws ConfigurationError with CloudFormation's reasons if a stack was not deployed */
async function deployStacks(stage: Stage, { stacks }: Plan, assembly: string): Promise<void> {
  const service = serviceOf(stage);
  for (const { place, step, readsDistribution } of stacks) {
    await makeDeployable(place, step, console.log);
    if (readsDistribution && (await isOfFormerDistribution(place, service))) {
      console.log(`Making the stack ${place.name} again, for the distribution that there is now.`);
      await deleteStack(place, console.log);
    }
    await deployStack(place, assembly);
  }
}

/** CloudFormation does not read outputs of another stack again while the template of the one that reads them is the same. */
async function isOfFormerDistribution(place: StackPlace, service: StackPlace): Promise<boolean> {
  const outputs = await outputsOf(place);
  return (
    outputs !== undefined && outputs.get(distributionOutput) !== (await outputsOf(service))?.get(distributionOutput)
  );
}

async function deployStack(place: StackPlace, assembly: string): Promise<void> {
  const { name, region } = place;
  const { code, said } = await cdk(
    assembly,
    ...["deploy", "--app", assembly, name, "--exclusively", "--require-approval", "never"],
  );
  if (code === 0) return console.log(`Deployed the stack ${name} in ${region}.`);
  const status: string | undefined = (await settledStack(place, console.log))?.StackStatus;
  const reasons = /ROLLBACK|FAILED/.test(status ?? "") ? await failuresOf(place) : [said];
  throw new ConfigurationError(
    [`The stack ${name} in ${region} was not deployed:`, ...reasons, outcomeOf(status)].join("\n  "),
  );
}

/** What a stack is after a deployment that failed, and what to do. */
function outcomeOf(status: string | undefined): string {
  if (status === "UPDATE_ROLLBACK_COMPLETE") return "CloudFormation has undone the update: the stage is as it was.";
  if (status === "UPDATE_ROLLBACK_FAILED")
    return "The update could not be undone either. Remove the cause and run the same command again: it continues the rollback.";
  if (status?.endsWith("_COMPLETE") && !status.startsWith("ROLLBACK")) return "CloudFormation has changed nothing.";
  return "Remove the cause and run the same command again: it makes the stack again.";
}

async function prune(place: StackPlace): Promise<void> {
  await deleteStack(place, console.log);
  console.log(`Deleted the stack ${place.name} in ${place.region}.`);
}

/** Runs the CDK, whose many lines go to a file beside the assembly; of one that fails the last ones are returned. */
async function cdk(
  assembly: string,
  ...args: readonly string[]
): Promise<{ readonly code: number; readonly said: string }> {
  const file = `${assembly}.log`;
  const log = openSync(file, "a");
  const child = spawn("cdk", args, { cwd: home, stdio: ["ignore", log, log] });
  const [code] = await once(child, "close");
  closeSync(log);
  const last = readFileSync(file, "utf8").trim().split("\n").slice(-12).join("\n");
  return { code, said: code === 0 ? "" : `${last}\n(all of it: ${file})` };
}

/** Steps that only a person can take. */
function showRest(stage: Stage, outputs: ReadonlyMap<string, string>): void {
  const { domain, gamesDomain, alarmEmail, identityProvider } = stage;
  const [dashboard, page] = [dashboardOf(stage), outputs.get(dashboardOutput)];
  const records = [
    [domain?.name, outputs.get("DomainTarget")],
    [dashboard?.domain?.name, outputs.get("DashboardTarget")],
    [gamesDomain && `*.${gamesDomain.name}`, outputs.get("GamesTarget")],
  ].filter(([name]) => name !== undefined && hostedZoneOf(stage, name) === undefined);
  console.log("\nDeployed. What is left for you:");
  console.log(`  confirm the subscription of alarms, by the link in the mail of AWS Notifications to ${alarmEmail}`);
  if (records.length > 0) {
    console.log("  make these DNS records, each a CNAME, or an alias if your DNS has them:");
    const width = Math.max(...records.map(([name = ""]) => name.length));
    for (const [name = "", target] of [["name", "points to"], ...records])
      console.log(`    ${name.padEnd(width)}  ${target}`);
  }
  if (page !== undefined && identityProvider !== "cognito")
    console.log(`  register ${page} with the identity provider: docs/operations/dashboard.md`);
  if (page !== undefined) console.log(`\nThe dashboard, on which people sign in and publish:\n  ${page}`);
}

/** What a program of AWS or of the CDK says in its first line, with what to do about it if that is known. */
function explained(error: unknown): string {
  const { stderr, message } = error as Error & { stderr?: string };
  const line = (stderr || message).trim().split("\n")[0] ?? "";
  const { AWS_ENDPOINT_URL: endpoint } = process.env;
  if (/AccessDenied|not authorized/.test(line))
    return `${line}\nDeploy with an administrator's credentials: PowerUserAccess, for one, lacks iam (docs/operations/deploying.md#bootstrap).`;
  if (/Could not connect to the endpoint URL/.test(line) && endpoint)
    return `${line} (AWS_ENDPOINT_URL is ${endpoint})`;
  if (/ExpiredToken|security token.* expired/.test(line)) return `${line}\nSign in again, then run the same command.`;
  return line;
}

/** Runs the command with these arguments, and says in a sentence what went wrong. */
export async function runDeploy(args: readonly string[]): Promise<void> {
  try {
    await run(args);
  } catch (error) {
    if (error instanceof ConfigurationError) console.error(error.message);
    // A program of AWS or of the CDK has already said what it has to say.
    else console.error(explained(error));
    process.exitCode = 1;
  } finally {
    leaveTerminal();
  }
}
