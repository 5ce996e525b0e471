import type { Interfaces } from "@oclif/core";
import * as Args from "@oclif/core/args";
import { Command } from "@oclif/core/command";
import * as Flags from "@oclif/core/flags";
import { ApiError } from "../../contract/api-error.ts";
import type { Client } from "../../contract/client.ts";
import { formatApiUrl } from "./api-url.ts";
import type { ClientOptions } from "./client.ts";
import { columns, type Row } from "./columns.ts";
import { type PartContext, partsOfCommand } from "./command-parts.ts";
import { type Credential, chooseTarget, requireCredential, type Target } from "./credential.ts";
import type { UserError } from "./errors.ts";
import { ReceivedResponses } from "./http/received-responses.ts";
import { fromOclif, isOclifError } from "./oclif-error.ts";
import type { findProject } from "./project.ts";
import { canAsk } from "./question.ts";
import { ReportedError, reportFailure } from "./report.ts";
import type { JobProject } from "./sign-in/job-token.ts";
import { hasColour, printable, printableJson, printableLines, styles, wrapped } from "./text.ts";

/**
 * Base of every command: `--json`, results on standard output, everything else on standard error.
 * A command's `run` returns its result as the document that `--json` prints, and prints it as text with `say`.
 */
export abstract class SvcCommand extends Command {
  static override enableJsonFlag = true;
  static override baseFlags: Interfaces.FlagInput = {
    directory: Flags.string({
      char: "C",
      summary: "Run as if started in this folder.",
      helpValue: "DIR",
      helpGroup: "GLOBAL",
    }),
    json: Flags.boolean({ summary: "Print the result as JSON on standard output.", helpGroup: "GLOBAL" }),
    quiet: Flags.boolean({ char: "q", summary: "Print only warnings and errors.", helpGroup: "GLOBAL" }),
    verbose: Flags.boolean({ summary: "Show each request to the API, without its token.", helpGroup: "GLOBAL" }),
  };

  /** The target whose API only the last login names, until its token is sent there. */
  #guessed: Target | undefined;
  readonly #received = new ReceivedResponses();
  #isQuiet = false;
  /** `--account` */
  #account: string | undefined;

  /** Parses the command line, and does what the flags of every command say. */
  protected override async parse<
    F extends Interfaces.OutputFlags<Interfaces.FlagInput>,
    B extends Interfaces.OutputFlags<Interfaces.FlagInput>,
    A extends Interfaces.OutputArgs<Interfaces.ArgInput>,
  >(options?: Interfaces.Input<F, B, A>, argv?: string[]): Promise<Interfaces.ParserOutput<F, B, A>> {
    const parsed = await super.parse(options, argv);
    const { account, directory, quiet, verbose } = parsed.flags as Partial<Record<string, unknown>>;
    if (typeof directory === "string") process.chdir(directory);
    if (typeof account === "string") this.#account = account;
    this.#isQuiet = quiet === true;
    if (verbose === true) (await import("./http/send.ts")).traceRequests(this.#trace);
    return parsed;
  }

  #trace = (line: string): void => {
    const { dim } = styles(hasColour(process.stderr, process.env));
    process.stderr.write(`${dim(printable(line))}\n`);
  };

  /** The result for `--json`. Undefined: the command prints text only. */
  abstract override run(): Promise<object | undefined>;

  /** Whether neither results nor progress are printed. With `--json` the result is. */
  protected get isQuiet(): boolean {
    return this.#isQuiet;
  }

  /** Prints a line of the result as text; nothing with `--json` or `--quiet`. */
  protected say(text: string): void {
    this.print(wrapped(text, process.stdout.columns));
  }

  /** The same for a script or a document, whose lines stay as they are. */
  protected print(text: string): void {
    if (!this.jsonEnabled() && !this.#isQuiet) process.stdout.write(`${printableLines(text)}\n`);
  }

  /** Prints a list under headings, as wide as the screen at most. */
  protected sayColumns(headings: readonly string[], rows: readonly Row[]): void {
    // A terminal whose width nobody has set says 0.
    this.say(columns(headings, rows, { width: process.stdout.columns || undefined, ...this.style }));
  }

  /** Whether a person can be asked: not in a pipe, and not with `--json`. */
  protected canAsk(): boolean {
    return !this.jsonEnabled() && canAsk();
  }

  /** Whether a person who can be asked says no; says then that nothing was changed. */
  protected async isDeclined(question: string): Promise<boolean> {
    if (!this.canAsk() || (await (await import("./question.ts")).confirm(question))) return false;
    this.say("Nothing was changed.");
    return true;
  }

  /** Prints a warning on standard error. */
  protected note = (text: string): void => {
    const { yellow } = styles(hasColour(process.stderr, process.env));
    const line = `${yellow("warning:")} ${printableLines(text)}`;
    process.stderr.write(`${wrapped(line, process.stderr.columns)}\n`);
  };

  /** The API and the token that the command line, the environment or the last login name. */
  protected chooseTarget(api: string | undefined): Target {
    const target = chooseTarget(api, process.env, this.note, this.#account);
    this.#guessed = isGuessed(target) ? target : undefined;
    return target;
  }

  protected async clientFor(api: URL, { token }: Pick<ClientOptions, "token">) {
    if (token !== undefined && token === this.#guessed?.credential?.token) {
      this.note(`SVC_TOKEN is sent to ${formatApiUrl(api)}, the API of the last login: SVC_API would name another.`);
      this.#guessed = undefined;
    }
    const { createClient } = await import("./client.ts");
    return createClient({ api, token, received: this.#received, warn: this.note });
  }

  protected get style() {
    return styles(hasColour(process.stdout, process.env));
  }

  /** Whether `--json` prints several documents, each on a line, and not one that is indented. */
  protected readonly printsEvents: boolean = false;

  override logJson(json: unknown): void {
    process.stdout.write(`${printableJson(json, this.printsEvents ? undefined : 2)}\n`);
  }

  /** Reports failures here, and not in oclif, so that texts and exit codes are the same if svc is a plugin. */
  protected override async catch(error: unknown): Promise<never> {
    if (error instanceof ReportedError) throw error;
    const name = (this.id ?? "").replaceAll(":", " ");
    const failure = isOclifError(error)
      ? fromOclif(error, { name, argv: this.argv, args: Object.keys(this.ctor.args) })
      : await this.#received.explain(error);
    throw new ReportedError(reportFailure(failure, { isJson: this.jsonEnabled() }));
  }
}

/** Whether a token in SVC_TOKEN, which does not say for which API it is, goes to that of the last login. */
function isGuessed({ apiSource, credential }: Target): boolean {
  return apiSource === "login" && credential?.source === "SVC_TOKEN";
}

/** An example in a command's help: what it does, and the words after the command. */
export function example(description: string, words = "") {
  return { description, command: `<%= config.bin %> <%= command.id %> ${words}`.trimEnd() };
}

/** The flag of every command about one project. */
export const projectFlag = {
  project: Flags.string({ char: "p", summary: "The project, instead of the one in svc.toml.", helpValue: "PROJECT" }),
};

/** The flag of every list that begins with what is newest. */
export const limitFlag = {
  limit: Flags.integer({
    char: "l",
    summary: "How many, 100 at most.",
    default: 20,
    min: 1,
    max: 100,
    helpValue: "N",
  }),
};

/** The argument of commands about one project that take no other; the flag does the same. */
export const projectArg = {
  slug: Args.string({ ignoreStdin: true, description: "The project; default: project in svc.toml." }),
};

/** A command that sends requests to the API, with the flag `--api`. */
export abstract class ApiCommand extends SvcCommand {
  static override baseFlags = {
    ...SvcCommand.baseFlags,
    api: Flags.string({
      summary: "The API's URL, instead of SVC_API or the URL of the last login.",
      helpValue: "URL",
      helpGroup: "GLOBAL",
    }),
    account: Flags.string({
      summary: "The saved account, by user ID or name, instead of that of the last login.",
      helpValue: "NAME",
      helpGroup: "GLOBAL",
    }),
  };

  #endJob: (() => Promise<void>) | undefined;
  #slug: string | undefined;
  #connection: { readonly client: Client; readonly credential: Credential } | undefined;

  /** The slug of {@link findProject}, whose errors it throws. */
  protected async slugOf(...named: Parameters<typeof findProject>): Promise<string> {
    this.#slug = (await import("./project.ts")).findProject(...named).slug;
    return this.#slug;
  }

  /** Prints what options tell below the text of this command. A failure of theirs is said, and takes nothing from the command. */
  protected async showParts(about: Pick<PartContext, "client" | "slug" | "compared">): Promise<void> {
    const say = (text: string) => this.say(text);
    const sayColumns: PartContext["sayColumns"] = (headings, rows) => this.sayColumns(headings, rows);
    for (const part of partsOfCommand(this.id ?? ""))
      await part({ ...about, say, sayColumns }).catch((error: Error) =>
        this.note(`Not all is known: ${error.message}`),
      );
  }

  /** Says of a project that the account does not have which one was probably meant. */
  protected override async catch(error: unknown): Promise<never> {
    const isMissing = error instanceof ApiError && error.code === "project_not_found";
    return await super.catch((isMissing && this.#slug && (await this.explainMissing(this.#slug))) || error);
  }

  /** The error for a project that the account does not have, if it is probably mistyped or another saved account's. */
  protected async explainMissing(slug: string): Promise<UserError | undefined> {
    if (this.#connection === undefined) return undefined;
    const { client, credential } = this.#connection;
    const { explainMissingProject } = await import("./missing-project.ts");
    const clientWith = async (token: string) => await this.clientFor(client.api, { token });
    const canChooseAccount = credential.source === "file";
    return await explainMissingProject({ client, slug, token: credential.token, canChooseAccount, clientWith });
  }

  /** A client for the API that `--api`, the environment or the last login names. */
  protected async connect(api: string | undefined) {
    const target = this.chooseTarget(api);
    const credential = requireCredential(target, process.env);
    const client = await this.clientFor(target.api, credential);
    this.#connection = { client, credential };
    return { target, job: undefined, credential, client };
  }

  /**
   * A client for what a CI job may do to a project: in a job with an identity, as that job; SVC_TOKEN is for jobs without one, or
   * that no publisher matches. The job's token is revoked when the command finishes.
   */
  protected async connectTo(project: JobProject, api: string | undefined) {
    this.#slug = project.slug;
    const { findJobIdentity } = await import("./job-identity.ts");
    const identity = findJobIdentity(process.env);
    if (identity === undefined) return await this.connect(api);
    const target = this.chooseTarget(api);
    const { JobToken } = await import("./sign-in/job-token.ts");
    const job = new JobToken(target.api, project, identity);
    try {
      await job.current();
    } catch (failure) {
      const problem = (await import("./http/problem.ts")).asUserError(failure);
      if (problem === undefined || target.credential?.source !== "SVC_TOKEN") throw failure;
      this.note(`${problem.message} SVC_TOKEN is used instead.`);
      return await this.connect(api);
    }
    const client = await this.clientFor(target.api, { token: job.current });
    this.#endJob = async () => void (await client.call("DELETE /tokens/current", { empty: true }));
    return { target, client, job };
  }

  /** A job's token also expires soon, so a failure here does not fail the command. */
  protected override async finally(error: Error | undefined): Promise<void> {
    await this.#endJob?.().catch(() => undefined);
    if (error === undefined) await this.#sayNewerVersion();
    await super.finally(error);
  }

  /** Says on a terminal, once a day, that the stage serves a newer svc. */
  async #sayNewerVersion(): Promise<void> {
    const { stderr, env } = process;
    if (!stderr.isTTY || env["CI"] || this.isQuiet || this.jsonEnabled() || this.#connection === undefined) return;
    const { newerVersionLine } = await import("./newer-version.ts");
    const client = (await this.clientFor(this.#connection.client.api, { token: undefined })).withOneTry();
    const line = await newerVersionLine(client, env);
    if (line !== undefined) stderr.write(`${wrapped(printable(line), stderr.columns)}\n`);
  }

  /** A client that sends no token, for routes that need none. */
  protected async connectWithoutToken(api: string | undefined) {
    const target = this.chooseTarget(api);
    return { target, client: await this.clientFor(target.api, { token: undefined }) };
  }
}
