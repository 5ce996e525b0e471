import { parseArgs } from "node:util";
import { suspensionReason } from "../../contract/api/accounts/accounts.ts";
import { revokeCredentials } from "../../functions/domain/accounts/restored-table.ts";
import * as suspensions from "../../functions/domain/accounts/suspensions.ts";
import { type PointerRepair, repairPointers } from "../../functions/domain/projects/pointer-repair.ts";
import type { EdgeState } from "../../functions/domain/projects/pointers.ts";
import { ServiceError } from "../../functions/domain/service-error.ts";
import type { SuspensionReason } from "../../functions/entities/account.ts";
import * as environment from "../../functions/environment.ts";
import { readWaitingAccounts } from "../../functions/table/accounts/account-items.ts";
import { readEvents } from "../../functions/table/accounts/events.ts";
import { accountKey } from "../../functions/table/keys.ts";
import { readReleases } from "../../functions/table/releases/release-items.ts";
import { readLocalParts } from "../../local/local-parts.ts";
import { leftOutOptions } from "../../options/stage.ts";
import { awsCommand, exportedCredentials } from "../deployment/deployed-stage.ts";
import { commands as programs, wrongOption } from "../home.ts";
import { readConfiguredStage } from "../settings/configured-stages.ts";
import { ConfigurationError, userPoolOutputs } from "../settings/stage.ts";
import { purgeGame } from "./purge-game.ts";

/*
 * Commands with which the operator of a stage approves developers, and suspends accounts and projects (docs/operations/abuse.md). They change the table
 * TABLE_NAME with the AWS credentials of the environment, so AWS decides who may use them.
 */

const usage = `Usage: ${programs.operator} [--stage NAME [--stages FILE]] COMMAND

  show account ACCOUNT                     what is stored, and the last events
  show project PROJECT
  suspend account ACCOUNT --reason REASON  it can only read itself and end its tokens; nobody can play its projects
  suspend project PROJECT --reason REASON  nobody can play or change it
  takedown PROJECT --reason REASON         the same, it is deleted for good, and CloudFront keeps nothing of it
  show waiting                             the accounts that wait to become developers, on a stage that approves them
  approve account ACCOUNT                  makes it a developer's, whether it has asked or not
  restore account ACCOUNT                  lifts the suspension
  restore project PROJECT
  lift project PROJECT                     lifts its limit of traffic for the rest of the month
  repair pointers [--after SLUG]           writes to the games' edge again what players get of every project
  revoke credentials --before TIME [--in-use TABLE]
      of a restored table TABLE_NAME: ends tokens and trusted publishers from before TIME; those that TABLE, in use until now, still
      has stay, and what is suspended or withdrawn there is so again

ACCOUNT is a uid, or key: and the 22 characters after pat_ of one of its tokens. PROJECT is a slug or a play URL.
A play URL must be below the games domain of the stage, without --stage of GAMES_DOMAIN.
REASON is one of ${suspensionReason.options.join(", ")}.
--stage NAME finds table, games' store and distribution in the outputs of the stack svc-NAME, by the AWS command line, and
takes its credentials if the environment has none;
--stages FILE reads its settings from another file than your own.
--stage local is the service that npm start runs at PORT, to practise: its data alone changes.
Without --stage the environment names them: IDP_ISSUER the identity provider, TABLE_NAME the table, GAMES_STORE_ARN the
key-value store that tells the games' edge what is taken down, GAMES_DISTRIBUTION_ID the distribution that a takedown
purges. What changes something is refused without a store, because players would go on playing: a service without a
games' edge needs --without-games.`;

/** An invalid command line. */
class UsageError extends Error {}

/**
 * Runs a command and returns what is stored afterwards.
 *
 * @throws UsageError; ServiceError `user_not_found`, `project_not_found`
 */
export async function operate(
  args: readonly string[],
  now: Date,
  { wait, command = awsCommand }: OperatorOptions = {},
): Promise<unknown> {
  const { positionals, values } = read(args);
  const isRevocation = positionals.join(" ") === "revoke credentials";
  // Without it a stage's own table would be the one in which everything ends.
  if (isRevocation && !process.env["TABLE_NAME"]) throw new UsageError("TABLE_NAME must name the restored table.");
  if (values.stage === "local") useLocalService();
  else if (values.stage) await useStage(values.stage, values.stages, command);
  if (!process.env["TABLE_NAME"]) throw new UsageError("No table is named: add --stage NAME, or set TABLE_NAME.");
  if (positionals.join(" ") === "repair pointers") return await repair(values.after);
  if (isRevocation) return await revoke(values, now);
  if (positionals.join(" ") === "show waiting") return await waitingAccounts();
  const [verb = "", ...rest] = positionals;
  const [kind, name, ...more] = verb === "takedown" ? ["project", ...rest] : rest;
  const change = commands[`${verb} ${kind}`];
  if (change === undefined || name === undefined || more.length > 0) throw new UsageError("Unknown command.");
  const id = kind === "account" ? keyOf(name) : slugOf(name);
  if (!["show", "approve"].includes(verb) && !values["without-games"]) refuseWithoutStore(values.stage);
  const edge = await change(id, () => reasonOf(values.reason), now);
  const shown = kind === "account" ? await shownAccount(id) : await shownProject(id);
  const purge = verb === "takedown" && edge !== null && (await purged(id, edge, wait));
  return { ...shown, ...(edge && { edge }), ...(purge && { purge }) };
}

interface OperatorOptions {
  /** The AWS command line of a region, by which the outputs of a stage are read. */
  readonly command?: typeof awsCommand;
  /** In milliseconds: see {@link purgeGame}. */
  readonly wait?: number | undefined;
}

/** Purges what was taken down once the games' edge has it; the takedown itself stays in any case. */
async function purged(slug: string, edge: EdgeState | undefined, wait: number | undefined): Promise<string> {
  const again = "Run the same command again.";
  if (edge !== "updated") return `not yet: the games' edge does not have the takedown. ${again}`;
  const distributionId = environment.gamesDistributionId();
  if (distributionId === undefined) return `not done: set GAMES_DISTRIBUTION_ID. ${again}`;
  try {
    return `invalidation ${await purgeGame(slug, distributionId, wait)}`;
  } catch (error) {
    return `not done: CloudFront responded with ${(error as Error).name}. ${again}`;
  }
}

type Command = (id: string, reason: () => SuspensionReason, now: Date) => Promise<EdgeState | undefined>;

const commands: Readonly<Record<string, Command>> = {
  "show account": async () => undefined,
  "show project": async () => undefined,
  "approve account": async (key, _, now) => void (await suspensions.approveDeveloper(key, now)),
  "suspend account": (key, reason, now) => suspensions.suspendAccount(key, reason(), now),
  "suspend project": (slug, reason, now) => suspensions.suspendProject(slug, reason(), now),
  "takedown project": (slug, reason, now) => suspensions.takeDownProject(slug, reason(), now),
  "restore account": (key, _, now) => suspensions.reinstateAccount(key, now),
  "restore project": (slug, _, now) => suspensions.reinstateProject(slug, now),
  "lift project": (slug, _, now) => suspensions.liftTrafficLimit(slug, now),
};

function read(args: readonly string[]) {
  const options = {
    stage: { type: "string" },
    stages: { type: "string" },
    reason: { type: "string" },
    after: { type: "string" },
    before: { type: "string" },
    "in-use": { type: "string" },
    "without-games": { type: "boolean" },
  } as const;
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(wrongOption(error));
  }
}

/** The settings that a stage's outputs name, by the outputs' names. What the environment sets already stays. */
const outputs = {
  TableName: "TABLE_NAME",
  [userPoolOutputs.issuer]: "IDP_ISSUER",
  GamesStoreArn: "GAMES_STORE_ARN",
  GamesDistributionId: "GAMES_DISTRIBUTION_ID",
};

/**
 * Sets what names a deployed stage's table, and its games' edge if it has one.
 *
 * @throws UsageError if its stack has no such output
 */
async function useStage(name: string, path: string | undefined, command: typeof awsCommand): Promise<void> {
  const stage = readConfiguredStage(name, path);
  const { identityProvider, region, gamesDomain } = stage;
  process.env["LEFT_OUT_OPTIONS"] = leftOutOptions(stage).join(",");
  process.env["GAMES_DOMAIN"] = gamesDomain?.name ?? "";
  const hasPool = identityProvider === "cognito";
  process.env["IDP_ISSUER"] = hasPool ? "" : identityProvider.issuer;
  process.env["AWS_REGION"] = region;
  const aws = command(region);
  if (!process.env["AWS_ACCESS_KEY_ID"]) Object.assign(process.env, await exportedCredentials(aws));
  const isNeeded = (output: string) =>
    output === "TableName" || (output === userPoolOutputs.issuer ? hasPool : gamesDomain !== undefined);
  const needed = Object.entries(outputs).filter(([output]) => isNeeded(output));
  if (needed.every(([, variable]) => process.env[variable])) return;
  const stack = `svc-${name}`;
  const { Stacks } = await aws("cloudformation", "describe-stacks", "--stack-name", stack);
  const found: readonly { OutputKey: string; OutputValue: string }[] = Stacks[0].Outputs ?? [];
  for (const [output, variable] of needed) {
    const value = process.env[variable] || found.find(({ OutputKey }) => OutputKey === output)?.OutputValue;
    if (!value) throw new UsageError(`The stack ${stack} has no output ${output}: deploy it, or set ${variable}.`);
    process.env[variable] = value;
  }
}

/** @throws UsageError if none runs at PORT */
function useLocalService(): void {
  const port = process.env["PORT"] || "8787";
  const settings = readLocalParts(port);
  if (settings === undefined) throw new UsageError(`No local service runs at port ${port}: npm start, or set PORT.`);
  Object.assign(process.env, settings);
}

/** @throws UsageError without the store of the games' edge: players would go on playing what is taken down */
function refuseWithoutStore(stage: string | undefined): void {
  if (environment.gamesStoreArn() !== undefined) return;
  if (stage !== undefined && stage !== "local" && environment.gamesDomain() === undefined) return;
  throw new UsageError(
    "GAMES_STORE_ARN is not set, so players would go on playing. Set it, or --without-games if nothing plays games.",
  );
}

async function revoke(
  { stage, before = "", "in-use": inUse, ...values }: ReturnType<typeof read>["values"],
  now: Date,
) {
  const begun = Date.parse(before);
  if (Number.isNaN(begun)) throw new UsageError("--before must be a time such as 2026-11-21T09:00:00Z.");
  if (inUse !== undefined && !values["without-games"]) refuseWithoutStore(stage);
  return await revokeCredentials({ begun: new Date(begun).toISOString(), inUse }, now);
}

const partsPerLine = 50;

/** Tells on standard error how far it is, and where another run can go on. */
async function repair(after: string | undefined) {
  if (environment.gamesStoreArn() === undefined) throw new UsageError("This stage has no games domain.");
  const { signal } = new AbortController();
  let done: PointerRepair = { after: after ?? "", projects: 0, written: 0 };
  let parts = 0;
  try {
    for await (done of repairPointers(signal, after)) {
      parts += 1;
      if (parts % partsPerLine === 0) console.error(`${done.projects} projects, up to ${done.after}`);
    }
  } catch (error) {
    console.error(`Stopped after ${done.projects} projects. Go on there: repair pointers --after ${done.after}`);
    throw error;
  }
  return { projects: done.projects, written: done.written };
}

function reasonOf(text: string | undefined): SuspensionReason {
  const reason = suspensionReason.options.find((option) => option === text);
  if (reason === undefined) throw new UsageError("--reason must be one of the reasons.");
  return reason;
}

function keyOf(account: string): string {
  if (account.startsWith("key:")) return account.slice("key:".length);
  if (process.env["IDP_ISSUER"]) return accountKey(environment.idpIssuer(), account);
  throw new UsageError("A uid needs the identity provider: add --stage NAME, or set IDP_ISSUER.");
}

/** @throws UsageError for a URL that is not below the games domain of the stage: its first label may be anybody's slug */
function slugOf(project: string): string {
  if (!URL.canParse(project)) return project;
  const domain = environment.gamesDomain()?.replace(/:\d+$/, "");
  const { hostname } = new URL(project);
  const [label = ""] = hostname.split(".");
  if (domain !== undefined && hostname === `${label}.${domain}`) return label.split("--")[0] ?? "";
  const has = domain === undefined ? "no games domain" : `<slug>.${domain}`;
  throw new UsageError(`${hostname} is no game's host: this stage has ${has}.`);
}

/** Accounts that wait, with what the operator may decide by. */
async function waitingAccounts() {
  const waiting = await readWaitingAccounts();
  return waiting
    .sort((one, other) => String(one.developerRequestedAt).localeCompare(String(other.developerRequestedAt)))
    .map(({ uid, name, email, emailVerified, developerRequestedAt, suspension }) => {
      return { uid, name, email, emailVerified, developerRequestedAt, suspension };
    });
}

const eventsShown = 20;

async function shownAccount(key: string) {
  const [account, projects, { items: events }] = await Promise.all([
    suspensions.existingAccount(key),
    suspensions.ownedProjects(key),
    readEvents(key, { limit: eventsShown }),
  ]);
  const { activeTokens, ...rest } = account;
  return { ...rest, activeTokens: Object.keys(activeTokens).length, projects, events };
}

async function shownProject(slug: string) {
  const { project, owner } = await suspensions.existingProject(slug);
  const { items: releases } = await readReleases(slug, { limit: eventsShown });
  return {
    ...project,
    owner: owner ? { uid: owner.uid, email: owner.email, suspension: owner.suspension } : null,
    releases,
  };
}

/**
 * Escapes what would change the terminal or the order of a line: names and descriptions are other people's. JSON escapes the
 * control characters of ASCII alone.
 */
function escaped(text: string): string {
  return text.replace(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (found) =>
    [...Array(found.length).keys()].map((at) => `\\u${found.charCodeAt(at).toString(16).padStart(4, "0")}`).join(""),
  );
}

/** Failure of AWS, of its command line, or of what calls it. */
interface AwsError extends Error {
  readonly syscall?: string;
  readonly stderr?: string;
  readonly $metadata?: unknown;
}

/** One line for an expected error, the stack trace for any other. */
function explain(error: unknown): string {
  if (error instanceof UsageError) return `${error.message}\nAll commands: ${programs.operator} --help`;
  if (error instanceof ServiceError) return `${error.detail} (${error.code})`;
  if (error instanceof ConfigurationError) return error.message;
  const { name, message, syscall, stderr, cause, $metadata } = error as AwsError;
  if (name === "ResourceNotFoundException")
    return `There is no table ${process.env["TABLE_NAME"]} in this region and account.`;
  if (name === "CredentialsProviderError") return `There are no AWS credentials: ${message}`;
  if (name === "StorageUnavailableError")
    return `The table ${process.env["TABLE_NAME"]} cannot be reached: ${(cause as Error | undefined)?.message || "nothing responds"}. With --stage local npm start must run.`;
  if ($metadata !== undefined) return `AWS refused it: ${message} (${name})`;
  if (syscall === "spawn aws") return "The AWS command line, aws, is not installed; --stage needs it.";
  if (stderr) return `aws: ${stderr.trim()}`;
  return String(error instanceof Error ? error.stack : error);
}

/** Runs the command with these arguments: prints what is stored as JSON, or what is wrong. */
export async function runOperator(args: readonly string[]): Promise<void> {
  if (args.length === 0 || /^(--help|-h)$/.test(args[0] ?? "")) return console.log(usage);
  try {
    console.log(escaped(JSON.stringify(await operate(args, new Date()), undefined, 2)));
  } catch (error) {
    console.error(escaped(explain(error)));
    process.exitCode = 1;
  }
}

if (import.meta.main) await runOperator(process.argv.slice(2));
