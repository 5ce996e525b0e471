import type { Command } from "@oclif/core/command";
import { CommandHelp, Help } from "@oclif/core/help";
import { wrongWords } from "./wrong-words.ts";

const noBreak = "\u00a0";

class SvcCommandHelp extends CommandHelp {
  /** Keeps a flag on one line with its value, or with the flag that it needs. */
  protected override defaultUsage(): string {
    return super.defaultUsage().replaceAll(/(?<![\w-])(--?[a-zA-Z][\w-]*) (?!\|)/g, `$1${noBreak}`);
  }
}

/** oclif's help of commands, and a list of all commands with what they share: environment variables and exit codes. */
export class SvcHelp extends Help {
  protected override CommandHelpClass = SvcCommandHelp;

  /** @throws UserError (exit code 2) for words that name no command */
  override async showHelp(argv: string[]): Promise<void> {
    const wrong = wrongWords(argv, this.config);
    if (wrong !== undefined && !argv[0]?.startsWith("-")) throw wrong;
    await super.showHelp(argv);
  }

  /** Begins the flags of all commands with one that has a letter: oclif takes the indentation off the first one. */
  protected override formatCommand(command: Command.Loadable): string {
    const { directory, ...others } = command.flags;
    const help = super.formatCommand({ ...command, flags: { ...(directory && { directory }), ...others } });
    return help.replaceAll(noBreak, " ");
  }

  /** Fits a screen: oclif's own has the version, topics and a line for each variable. */
  protected override async showRootHelp(): Promise<void> {
    const known = new Map(this.config.commands.map(({ id, summary = "" }) => [id, summary]));
    const topics = new Map(this.config.topics.map(({ name, description = "" }) => [name, description]));
    const present = inOrder.filter((id) => known.has(id) || topics.has(id));
    const commands = present.map((id): [string, string] => [id, known.get(id) ?? topics.get(id) ?? ""]);
    const sections: [header: string, body: string | [string, string][]][] = [
      ["USAGE", "$ svc COMMAND [--help]"],
      ["EXAMPLES", "$ svc login && svc init my-game && svc projects create && svc publish"],
      ["COMMANDS", commands],
      ["ENVIRONMENT", "SVC_TOKEN, SVC_API, SVC_TIMEOUT, HTTPS_PROXY, NO_PROXY, NO_COLOR"],
      // svc profile names one more.
      ["EXIT CODES", "0 done, 1 failed, 2 usage, 4 not allowed, 6 conflict, 130 and 143 stopped"],
    ];
    // With few empty lines all of it fits a screen.
    const [usage, examples, list, ...others] = sections.map(([header, body]) => this.section(header, body));
    const start = "Publish browser games from a laptop or from CI.";
    this.log([`${start}\n${usage}\n${examples}`, list, others.join("\n")].join("\n\n"));
  }
}

/** Commands in the order in which a person meets them; a topic stands for its commands. */
const inOrder = [
  "login",
  "whoami",
  "init",
  "dev",
  "projects",
  "publish",
  "open",
  "previews",
  "live",
  "rollback",
  "offline",
  "releases",
  "publishers",
  "members",
  "invite",
  "leave",
  "history",
  "stats",
  "profile",
  "tokens",
  "api",
  "logout",
  "completion",
];
