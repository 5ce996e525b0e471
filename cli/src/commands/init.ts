import * as fs from "node:fs";
import * as path from "node:path";
import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { SvcCommand } from "../command.ts";
import { checkSlug, slugOf } from "../slug.ts";

export class Init extends SvcCommand {
  static override summary = "Write svc.toml: the project and the folder to publish.";
  static override description =
    "svc.toml belongs in the repository. It never contains a token or an API URL. It does not create the project: svc projects create does.";
  static override examples = [
    {
      description: "Publish dist as my-game from now on",
      command: "<%= config.bin %> <%= command.id %> my-game --dir dist",
    },
  ];
  static override args = {
    project: Args.string({
      ignoreStdin: true,
      description: "The project's slug; default: made from this folder's name.",
    }),
  };
  static override flags = {
    dir: Flags.string({
      char: "d",
      summary: "The folder to publish; default: dist, build or public if one has an index.html, else this one.",
      helpValue: "DIR",
    }),
  };

  async run() {
    const { args, flags } = await this.parse(Init);
    const { writeProjectFile } = await import("../project-file.ts");
    const project = args.project ?? slugOf(path.basename(process.cwd()));
    checkSlug(project, "svc init");
    const dir = (flags.dir ?? guessFolder()).split(path.sep).join("/");
    const file = writeProjectFile(process.cwd(), { project, dir });
    this.say(`Wrote ${path.basename(file)}: ${dir} is published as ${project}.`);
    this.say(`Next: svc projects create ${project}, then svc publish`);
    return { path: file, project, dir };
  }
}

function guessFolder(): string {
  return ["dist", "build", "public"].find((name) => fs.existsSync(path.join(name, "index.html"))) ?? ".";
}
