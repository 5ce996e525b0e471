import type { Command } from "@oclif/core/command";
import { CommandHelp, Help } from "@oclif/core/help";
import { openPlaces } from "./dashboard-places.ts";
import { wrongWords } from "./wrong-words.ts";

const noBreak = "\u00a0";

class SvcCommandHelp extends CommandHelp {
  /** Keeps a flag on one line with its value, or with the flag that it needs. */
  protected override defaultUsage(): string {
    return super.defaultUsage().replaceAll(/(?<![\w-])(--?[a-zA-Z][\w-]*) (?!\|)/g, `$1${noBreak}`);
  }

  /** Lists what `svc open` opens. */
  protected override sections() {
    const sections = super.sections();
    if (this.command.id !== "open") return sections;
    const body = openPlaces().map(([place, words]): [string, string] => [place, words]);
    const places = { header: "PLACES", generate: () => [{ header: "PLACES", body }] };
    const isBefore = ({ header }: (typeof sections)[number]) => header === "FLAGS";
    return sections.flatMap((section) => (isBefore(section) ? [places, section] : [section]));
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
    const summaries = new Map([
      ...this.config.topics.map(({ name, description = "" }) => [name, description] as const),
      ...this.config.commands.map(({ id, summary = "" }) => [id, summary] as const),
    ]);
    const width = Math.max(...Object.values(groups).flatMap((ids) => ids.map(({ length }) => length)));
    const lists = Object.entries(groups).map(([header, ids]): [string, [string, string][]] => [
      header,
      ids.filter((id) => summaries.has(id)).map((id) => [id.padEnd(width), summaries.get(id) ?? ""]),
    ]);
    const sections = (all: [header: string, body: string | [string, string][]][]) =>
      all.map(([header, body]) => this.section(header, body)).join("\n");
    // With few empty lines all of it fits a screen.
    const usage = sections([
      ["USAGE", "$ svc COMMAND [--help]"],
      ["EXAMPLES", "$ svc login && svc init my-game && svc projects create && svc publish"],
    ]);
    const shared = sections([
      ["ENVIRONMENT", "SVC_TOKEN, SVC_API, SVC_TIMEOUT, HTTPS_PROXY, NO_PROXY, NO_COLOR"],
      // svc check and svc profile name one more.
      ["EXIT CODES", "0 done, 1 failed, 2 usage, 4 not allowed, 6 conflict, 130 and 143 stopped"],
    ]);
    this.log(`Publish browser games from a laptop or from CI.\n${usage}\n\n${sections(lists)}\n${shared}`);
  }
}

/** Commands by what they are for, in the order in which a person meets them; a topic stands for its commands. */
const groups: Readonly<Record<string, readonly string[]>> = {
  "GET STARTED": ["login", "init", "projects", "dev", "check"],
  PUBLISH: ["publish", "previews", "live", "rollback", "offline", "releases", "notes"],
  "A PROJECT": ["open", "stats", "profile", "members", "publishers", "history", "saves"],
  "ACCOUNT AND TOOLS": ["whoami", "logout", "api", "completion"],
};
