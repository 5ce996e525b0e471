import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { suspensionReason } from "../../contract/api/accounts/accounts.ts";
import { retryOnConflict } from "../../functions/conflict.ts";
import { eraseForPerson } from "../../functions/domain/accounts/deletion.ts";
import { revokeCredentials } from "../../functions/domain/accounts/restored-table.ts";
import * as suspensions from "../../functions/domain/accounts/suspensions.ts";
import { giveProject } from "../../functions/domain/projects/invitations.ts";
import { type PointerRepair, repairPointers } from "../../functions/domain/projects/pointer-repair.ts";
import type { EdgeState } from "../../functions/domain/projects/pointers.ts";
import { publishersOf } from "../../functions/domain/publishers/account-publishers.ts";
import { ServiceError } from "../../functions/domain/service-error.ts";
import { revokeFound } from "../../functions/domain/tokens/disclosures.ts";
import { revokeAllTokens } from "../../functions/domain/tokens/tokens.ts";
import type { SuspensionReason } from "../../functions/entities/account.ts";
import * as environment from "../../functions/environment.ts";
import { readAccountsByEmail, readWaitingAccounts } from "../../functions/table/accounts/account-items.ts";
import { accountKey } from "../../functions/table/keys.ts";
import { awsCommand } from "../deployment/aws-command.ts";
import { askOnTerminal, leaveTerminal } from "../deployment/deploy-questions.ts";
import { commands as programs, wrongOption } from "../home.ts";
import { ConfigurationError } from "../settings/stage.ts";
import { linesOfAccount, linesOfAccounts, linesOfProject } from "./lines.ts";
import { policyOf } from "./policy.ts";
import { purgeGame } from "./purge-game.ts";
import { personOf, shownAccount, shownProject } from "./shown.ts";
import { refuseWithoutStore, useLocalService, useOptions, useStack, useStage } from "./stage-settings.ts";
import { UsageError, usage } from "./usage.ts";

/*
 * Commands with which the operator of a stage approves developers, and suspends accounts and projects (docs/operations/abuse.md). They change the table
 * TABLE_NAME with the AWS credentials of the environment, so AWS decides who may use them.
 */

/** What a command prints: data for `--json`, or lines for a person. */
interface Outcome {
  readonly data: unknown;
  readonly lines: readonly string[];
}

interface OperatorOptions {
  /** The AWS command line of a region, by which the outputs of a stage are read. */
  readonly command?: typeof awsCommand;
  /** In milliseconds: see {@link purgeGame}. */
  readonly wait?: number | undefined;
  /** Asks for what must not stand on a command line, which shells and npm keep in files. */
  readonly ask?: (what: string) => Promise<string>;
}

/**
 * Runs a command and returns what is stored afterwards.
 *
 * @throws UsageError; ServiceError `user_not_found`, `project_not_found`, and what the command refuses
 */
export async function operate(args: readonly string[], now: Date, options: OperatorOptions = {}): Promise<unknown> {
  return (await perform(read(args), now, options)).data;
}

type Words = ReturnType<typeof read>;
type Values = Words["values"];

async function perform({ positionals, values }: Words, now: Date, options: OperatorOptions): Promise<Outcome> {
  const words = positionals.join(" ");
  // Without it a stage's own table would be the one in which everything ends.
  if (words === "revoke credentials" && !process.env["TABLE_NAME"])
    throw new UsageError("TABLE_NAME must name the restored table.");
  if (values.stage === "local") useLocalService();
  else if (values.stage) await useStage(values.stage, values.stages, options.command ?? awsCommand);
  else if (values.stack) await useStack(values.stack, options.command ?? awsCommand);
  else useOptions(process.env["LEFT_OUT_OPTIONS"]);
  if (!process.env["TABLE_NAME"])
    throw new UsageError("No table is named: add --stage NAME or --stack STACK, or set TABLE_NAME.");
  const whole = wholeCommands.get(words);
  return await (whole ? whole(values, now, options) : performOnOne(positionals, values, now, options));
}

type WholeCommand = (values: Values, now: Date, options: OperatorOptions) => Promise<Outcome>;

/** Commands that are not about one account or project that the command line names. */
const wholeCommands: ReadonlyMap<string, WholeCommand> = new Map(
  Object.entries<WholeCommand>({
    "repair pointers": async ({ after }) => asData(await repair(after)),
    "revoke credentials": async (values, now) => asData(await revokeRestored(values, now)),
    "revoke token": (_, now, { ask = askOnInput }) => revokeToken(ask, now),
    "show waiting": waitingAccounts,
    "find account": async (_, __, { ask = askOnInput }) => {
      const accounts = await readAccountsByEmail(await ask("The email address:"));
      return {
        data: accounts.map((account) => ({ ...personOf(account), key: account.key })),
        lines: linesOfAccounts(accounts),
      };
    },
    "policy read": async (values) => asData(policyFor("read", values)),
    "policy change": async (values) => asData(policyFor("change", values)),
  }),
);

/** Data alone, which is printed as JSON in any case. */
function asData(data: unknown): Outcome {
  return { data, lines: linesOfJson(data) };
}

const linesOfJson = (data: unknown) => JSON.stringify(data, undefined, 2).split("\n");

async function performOnOne(
  positionals: readonly string[],
  values: Values,
  now: Date,
  { wait }: OperatorOptions,
): Promise<Outcome> {
  const [verb = "", ...rest] = positionals;
  if (verb === "find")
    throw new UsageError("An address must be on standard input, in no argument: shells and npm keep these in files.");
  const [kind, name, ...more] = verb === "takedown" ? ["project", ...rest] : rest;
  const change = commands.get(`${verb} ${kind}`);
  if (change === undefined || name === undefined || more.length > 0) throw new UsageError("Unknown command.");
  const id = kind === "project" ? slugOf(name) : keyOf(name);
  if (!["show", "approve", "revoke"].includes(verb) && !values["without-games"])
    refuseWithoutStore(values.stage ?? values.stack);
  const done = await change({ id, name, values, now });
  const purge = verb === "takedown" && done.edge ? await purged(id, done.edge, wait) : undefined;
  const results = Object.fromEntries(
    Object.entries({ ...done, purge }).filter(([, value]) => (value ?? null) !== null),
  );
  if (results["erased"]) return { data: results, lines: linesOfResults(results) };
  const after = await (kind === "project" ? afterwardsOfProject(id, now) : afterwardsOfAccount(id, now));
  return { data: { ...after.data, ...results }, lines: [...after.lines, ...linesOfResults(results)] };
}

async function afterwardsOfProject(slug: string, now: Date) {
  const data = await shownProject(slug);
  return { data, lines: linesOfProject(data, now) };
}

async function afterwardsOfAccount(key: string, now: Date) {
  const data = await shownAccount(key);
  return { data, lines: linesOfAccount(data, now) };
}

/** Results of a change, beside what is stored afterwards. */
interface Results {
  readonly edge?: EdgeState;
  /** Number of tokens. */
  readonly revoked?: number;
  /** CI jobs that publish without a token. */
  readonly ciJobs?: readonly string[] | undefined;
  readonly erased?: true;
  /** What to do for the change to happen. */
  readonly next?: string;
}

const resultsInWords: Readonly<Record<string, string>> = {
  edge: "The games' edge is",
  purge: "CloudFront's caches:",
  revoked: "Tokens that were revoked:",
  ciJobs: "CI jobs that still publish:",
  erased: "The account is erased.",
  next: "",
};

function linesOfResults(results: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(results).map(([name, value]) =>
    `${resultsInWords[name]} ${value === true ? "" : [value].flat().join(", ")}`.trim(),
  );
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

/** Account or project of a command line. */
interface Target {
  /** The key of an account, or the slug of a project. */
  readonly id: string;
  /** As it was typed. */
  readonly name: string;
  readonly values: Values;
  readonly now: Date;
}

type Command = (target: Target) => Promise<Results>;

const commands: ReadonlyMap<string, Command> = new Map(
  Object.entries<Command>({
    "show account": async () => ({}),
    "show project": async () => ({}),
    "approve account": async ({ id, now }) => {
      await suspensions.approveDeveloper(id, now);
      return {};
    },
    "suspend account": async ({ id, values, now }) => ({
      edge: await suspensions.suspendAccount(id, reasonOf(values.reason), now),
    }),
    "suspend project": async ({ id, values, now }) => ({
      edge: await suspensions.suspendProject(id, reasonOf(values.reason), now),
    }),
    "takedown project": async ({ id, values, now }) => ({
      edge: await suspensions.takeDownProject(id, reasonOf(values.reason), now),
    }),
    "restore account": async ({ id, now }) => ({ edge: await suspensions.reinstateAccount(id, now) }),
    "restore project": async ({ id, now }) => ({ edge: await suspensions.reinstateProject(id, now) }),
    "lift project": async ({ id, now }) => ({ edge: await suspensions.liftTrafficLimit(id, now) }),
    "give project": async ({ id, values, now }) => {
      if (values.to === undefined) throw new UsageError("--to must name the account that gets it.");
      return { edge: await giveProject(id, keyOf(values.to), now) };
    },
    "revoke tokens": async ({ id, now }) => await revokeTokens(id, now),
    "erase account": async ({ id, name, values, now }) => {
      if (values.confirm !== name)
        return { next: `Nothing was erased. It cannot be undone: to do it, add --confirm ${name}.` };
      const deletesProjects = values["delete-projects"] ?? false;
      return { erased: true, edge: await eraseForPerson(id, { deletesProjects }, now) };
    },
  }),
);

/** Ends all tokens of an account. CI jobs that publish its projects without one are named. */
async function revokeTokens(key: string, now: Date): Promise<Results> {
  return await retryOnConflict(async () => {
    const account = await suspensions.existingAccount(key);
    // Before the write: a read that fails afterwards would hide that they are revoked.
    const publishers = await publishersOf(account, now);
    const revoked = await revokeAllTokens(account, now);
    const ciJobs = publishers.map(({ slug, publisher }) => `${slug} (${publisher.provider}, ${publisher.id})`);
    return { revoked, ciJobs: ciJobs.length > 0 ? ciJobs : undefined };
  });
}

/** Ends a token for somebody who has found it. */
async function revokeToken(ask: NonNullable<OperatorOptions["ask"]>, now: Date): Promise<Outcome> {
  const token = await revokeFound(await ask("The token:"), now);
  if (token === undefined) throw new UsageError("This stage has no such token: is it whole, and of this stage?");
  const { id, name, hint } = token;
  const { uid } = await suspensions.existingAccount(token.accountKey);
  const again = token.revokedAt ? `, since ${token.revokedAt}` : "";
  const line = `The token ${name} (${id}, …${hint}) of ${uid} is revoked${again}.`;
  return { data: { id, name, uid, hint, revoked: true }, lines: [line] };
}

/** Asks on a terminal, or reads standard input. */
async function askOnInput(what: string): Promise<string> {
  const given = process.stdin.isTTY ? await askOnTerminal(what) : (await text(process.stdin)).trim();
  if (given === "") throw new UsageError(`${what} it must be on standard input, in no argument.`);
  return given;
}

function policyFor(rights: Parameters<typeof policyOf>[0], { stage, stages }: Values) {
  if (stage === undefined || stage === "local") throw new UsageError("--stage must name a deployed stage.");
  return policyOf(rights, stage, stages);
}

function read(args: readonly string[]) {
  const options = {
    stage: { type: "string" },
    stages: { type: "string" },
    stack: { type: "string" },
    reason: { type: "string" },
    after: { type: "string" },
    before: { type: "string" },
    "in-use": { type: "string" },
    to: { type: "string" },
    confirm: { type: "string" },
    "delete-projects": { type: "boolean" },
    "without-games": { type: "boolean" },
    json: { type: "boolean" },
  } as const;
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(wrongOption(error));
  }
}

async function revokeRestored({ stage, stack, before = "", "in-use": inUse, ...values }: Values, now: Date) {
  const restoredAt = Date.parse(before);
  if (Number.isNaN(restoredAt)) throw new UsageError("--before must be a time such as 2026-11-21T09:00:00Z.");
  if (inUse !== undefined && !values["without-games"]) refuseWithoutStore(stage ?? stack);
  return await revokeCredentials({ restoredAt: new Date(restoredAt).toISOString(), inUse }, now);
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
async function waitingAccounts(): Promise<Outcome> {
  const waiting = (await readWaitingAccounts()).sort((one, other) =>
    String(one.developerRequestedAt).localeCompare(String(other.developerRequestedAt)),
  );
  const data = waiting.map(({ uid, name, email, emailVerified, developerRequestedAt, suspension }) => {
    return { uid, name, email, emailVerified, developerRequestedAt, suspension };
  });
  return { data, lines: linesOfAccounts(waiting) };
}

/**
 * Joins lines, and escapes in them what would change the terminal, the order of a line or their number: names and descriptions are other
 * people's. JSON escapes the control characters of ASCII alone.
 */
function escaped(lines: readonly string[]): string {
  const escapes = (match: string) =>
    [...Array(match.length).keys()].map((at) => `\\u${match.charCodeAt(at).toString(16).padStart(4, "0")}`).join("");
  return lines.map((line) => line.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escapes)).join("\n");
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

/** Runs the command with these arguments: prints what is stored, or what is wrong. */
export async function runOperator(args: readonly string[]): Promise<void> {
  if (args.length === 0 || /^(--help|-h)$/.test(args[0] ?? "")) return console.log(usage);
  try {
    const words = read(args);
    const { data, lines } = await perform(words, new Date(), {});
    console.log(escaped(words.values.json ? linesOfJson(data) : lines));
  } catch (error) {
    console.error(escaped(explain(error).split("\n")));
    process.exitCode = 1;
  } finally {
    leaveTerminal();
  }
}
