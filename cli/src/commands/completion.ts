import * as Args from "@oclif/core/args";
import { SvcCommand } from "../command.ts";

export class Completion extends SvcCommand {
  static override summary = "Print a completion script for your shell.";
  static override description =
    "The script contains the commands and flags of this version: print it again after an update.";
  static override examples = [
    { description: "bash", command: "$ echo 'eval \"$(svc completion bash)\"' >> ~/.bashrc" },
    {
      description: "zsh, with fpath+=~/.zfunc in ~/.zshrc before compinit",
      command: "svc completion zsh > ~/.zfunc/_svc",
    },
    { description: "fish", command: "svc completion fish > ~/.config/fish/completions/svc.fish" },
  ];
  static override args = {
    shell: Args.string({
      required: true,
      ignoreStdin: true,
      options: ["bash", "zsh", "fish"],
      description: "The shell that the script is for.",
    }),
  };

  async run() {
    const { args } = await this.parse(Completion);
    const { completionScript } = await import("../completion/script.ts");
    const script = completionScript(args.shell as "bash" | "zsh" | "fish", this.config.commands);
    this.say(script.trimEnd());
    return { shell: args.shell, script };
  }
}
