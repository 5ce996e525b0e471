import { Command } from "@oclif/core/command";
import type { Config } from "@oclif/core/config";
import * as Flags from "@oclif/core/flags";
import { type Credential, chooseTarget, requireCredential } from "./credential.ts";
import { hasColour, printableJson, printableLines, styles } from "./text.ts";

/**
 * What every command shares: `--json`, results on standard output, everything else on standard error.
 * A command's `run` returns its result as the document that `--json` prints, and says the same to people with `say`.
 */
export abstract class SvcCommand extends Command {
  static override enableJsonFlag = true;

  /** Runs the command with a config that is loaded already; oclif's own `run` would load it a second time. */
  static start(this: new (argv: string[], config: Config) => SvcCommand, argv: string[], config: Config) {
    return new this(argv, config)._run();
  }

  /** The result for `--json`. */
  abstract override run(): Promise<object>;

  /** A line of the result for people. */
  protected say(text: string): void {
    if (!this.jsonEnabled()) process.stdout.write(`${printableLines(text)}\n`);
  }

  /** Something that people should know beside the result. */
  protected note = (text: string): void => {
    const { yellow } = styles(hasColour(process.stderr, process.env));
    process.stderr.write(`${yellow("warning:")} ${printableLines(text)}\n`);
  };

  protected get style() {
    return styles(hasColour(process.stdout, process.env));
  }

  override logJson(json: unknown): void {
    process.stdout.write(`${printableJson(json, 2)}\n`);
  }

  /** Failures are told in one place, main.ts. */
  protected override async catch(error: unknown): Promise<never> {
    throw error;
  }
}

/** A command that talks to the API, which `--api` can choose. */
export abstract class ApiCommand extends SvcCommand {
  static override baseFlags = {
    api: Flags.string({
      summary: "The API to talk to, instead of SVC_API or the one logged in to.",
      helpValue: "URL",
      helpGroup: "GLOBAL",
    }),
  };

  /** A client for the API that the flags, the environment and the login choose. */
  protected async connect(api: string | undefined) {
    const target = chooseTarget(api, process.env, this.note);
    const credential = requireCredential(target, process.env);
    return { target, credential, client: await this.clientFor(target.api, credential) };
  }

  protected async clientFor(api: URL, { token }: Pick<Credential, "token">) {
    const { Client } = await import("./client.ts");
    return new Client({ api, token, environment: process.env, warn: this.note });
  }
}
