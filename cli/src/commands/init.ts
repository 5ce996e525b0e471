import * as fs from "node:fs";
import * as path from "node:path";
import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { example, SvcCommand } from "../command.ts";
import { usageError } from "../errors.ts";
import { checkSlug, slugIn } from "../slug.ts";
import { printable } from "../text.ts";

export class Init extends SvcCommand {
  static override summary = "Write svc.toml: the project and the folder to publish.";
  static override description =
    "svc.toml belongs in the repository. It never contains a token or an API URL. It does not create the project: svc projects create does.";
  static override examples = [example("Publish dist as my-game from now on", "my-game --dir dist")];
  static override args = {
    project: Args.string({
      ignoreStdin: true,
      description: "The project's address; default: made from this folder's name.",
    }),
  };
  static override flags = {
    dir: Flags.string({
      char: "d",
      summary:
        "The folder to publish; default: the one that the build writes (Vite, webpack, Parcel, Godot, Unity …), else this one.",
      helpValue: "DIR",
    }),
  };

  async run() {
    const { args, flags } = await this.parse(Init);
    const [{ writeProjectFile }, { buildFolderOf }] = await Promise.all([
      import("../project-file.ts"),
      import("../build-folder.ts"),
    ]);
    const project = args.project ?? slugOfFolder();
    checkSlug(project, "svc init");
    const build = buildFolderOf(process.cwd());
    const dir = (flags.dir ?? build.dir).split(path.sep).join("/");
    const file = writeProjectFile(process.cwd(), { project, dir });
    this.say(`Wrote ${path.basename(file)}: ${dir} is published as ${project}.`);
    if (dir === build.dir && build.writtenBy !== undefined && !fs.existsSync(dir))
      this.say(`${dir} does not exist yet: ${build.writtenBy} writes it.`);
    this.say(`Next: svc projects create ${project}, then svc publish`);
    return { path: file, project, dir };
  }
}

/** @throws UserError (exit code 2) if the folder's name has too few of a slug's characters */
function slugOfFolder(): string {
  const name = path.basename(process.cwd());
  const slug = slugIn(name);
  if (slug !== undefined) return slug;
  throw usageError(
    `The folder's name, ${printable(name)}, gives no address for the game: that has 3 to 40 of a-z, 0-9 and -.`,
    { code: "invalid_slug", next: "svc init my-game" },
  );
}
