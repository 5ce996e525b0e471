import type { Interfaces } from "@oclif/core";
import { Command } from "@oclif/core/command";
import * as Flags from "@oclif/core/flags";
import { type Credential, chooseTarget, requireCredential } from "./credential.ts";
import { Reported, reportFailure } from "./report.ts";
import { hasColour, printableJson, printableLines, styles } from "./text.ts";

/**
 * What every command shares: `--json`, results on standard output, everything else on standard error.
 * A command's `run` returns its result as the document that `--json` prints, and says the same to people with `say`.
 */
export abstract class SvcCommand extends Command {
  static override enableJsonFlag = true;
  static override baseFlags: Interfaces.FlagInput = {
    json: Flags.boolean({ summary: "Print the result as JSON on standard output.", helpGroup: "GLOBAL" }),
  };

  /** The result for `--json`; a command without one prints text in any case. */
  abstract override run(): Promise<object | undefined>;

  /** A line of the result for people. */
  protected say(text: string): void {
    if (!this.jsonEnabled()) process.stdout.write(`${printableLines(text)}\n`);
  }

  /** Something that people should know beside the result. */
  protected note = (text: string): void => {
    const { yellow } = styles(hasColour(process.stderr, process.env));
    process.stderr.write(`${yellow("warning:")} ${printableLines(text)}\n`);
  };

  protected async clientFor(api: URL, { token }: { token: Credential["token"] | undefined }) {
    const { Client } = await import("./client.ts");
    return new Client({ api, token, environment: process.env, warn: this.note });
  }

  protected get style() {
    return styles(hasColour(process.stdout, process.env));
  }

  override logJson(json: unknown): void {
    process.stdout.write(`${printableJson(json, 2)}\n`);
  }

  /** Failures are told here, and not by oclif, so that they and their exit codes are the same within another program. */
  protected override async catch(error: unknown): Promise<never> {
    throw new Reported(reportFailure(error, { isJson: this.jsonEnabled() }));
  }
}

/** The project of a command that is about one. */
export const projectFlag = {
  project: Flags.string({ char: "p", summary: "The project, instead of the one in svc.toml.", helpValue: "SLUG" }),
};

/** A command that talks to the API, which `--api` can choose. */
export abstract class ApiCommand extends SvcCommand {
  static override baseFlags = {
    ...SvcCommand.baseFlags,
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

  /** A client for a route that needs no token: none is sent. */
  protected async connectOpenly(api: string | undefined) {
    const target = chooseTarget(api, process.env, this.note);
    return { target, client: await this.clientFor(target.api, { token: undefined }) };
  }
}
