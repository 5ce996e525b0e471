import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as Args from "@oclif/core/args";
import { SvcCommand } from "../command.ts";

const files = { bash: "svc.bash", zsh: "svc.zsh", fish: "svc.fish", powershell: "svc.ps1" } as const;

export class Completion extends SvcCommand {
  static override summary = "Print a completion script for your shell.";
  static override description =
    "The script asks svc for what can follow, so it stays the same after an update. It completes commands, flags, folders, projects and releases.";
  static override examples = [
    { description: "bash", command: "$ echo 'eval \"$(svc completion bash)\"' >> ~/.bashrc" },
    {
      description: "zsh, with fpath+=~/.zfunc in ~/.zshrc before compinit",
      command: "svc completion zsh > ~/.zfunc/_svc",
    },
    { description: "fish", command: "svc completion fish > ~/.config/fish/completions/svc.fish" },
    { description: "PowerShell", command: "svc completion powershell >> $PROFILE" },
  ];
  static override args = {
    shell: Args.string({
      required: true,
      ignoreStdin: true,
      options: Object.keys(files),
      description: "The shell that the script is for.",
    }),
  };

  async run() {
    const { args } = await this.parse(Completion);
    const file = files[args.shell as keyof typeof files];
    const script = readFileSync(join(import.meta.dirname, "../completion", file), "utf8");
    this.print(script.trimEnd());
    return { shell: args.shell, script };
  }
}
