import * as Args from "@oclif/core/args";
import { example, SvcCommand } from "../command.ts";

export class HelpCommand extends SvcCommand {
  static override summary = "Show the help of svc or of one command.";
  static override examples = [example("All commands"), example("One command", "publish")];
  static override args = {
    command: Args.string({ ignoreStdin: true, description: "The command to describe." }),
  };
  /** A command can have several words: `projects list`. */
  static override strict = false;

  async run() {
    const { argv } = await this.parse(HelpCommand);
    const { SvcHelp } = await import("../help.ts");
    await new SvcHelp(this.config, this.config.pjson.oclif.helpOptions).showHelp(argv as string[]);
    return undefined;
  }
}
