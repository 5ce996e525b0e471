import * as Args from "@oclif/core/args";
import { SvcCommand } from "../command.ts";

export class HelpCommand extends SvcCommand {
  static override summary = "Show what svc or one of its commands does.";
  static override examples = [
    { description: "All commands", command: "<%= config.bin %> <%= command.id %>" },
    { description: "One of them", command: "<%= config.bin %> <%= command.id %> publish" },
  ];
  static override args = {
    command: Args.string({ ignoreStdin: true, description: "The command to describe." }),
  };
  /** A command may have several words. */
  static override strict = false;

  async run() {
    const { argv } = await this.parse(HelpCommand);
    const { SvcHelp } = await import("../help.ts");
    await new SvcHelp(this.config, this.config.pjson.oclif.helpOptions).showHelp(argv as string[]);
    return undefined;
  }
}
