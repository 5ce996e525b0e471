import * as Flags from "@oclif/core/flags";
import { ApiCommand, example, projectArg, projectFlag } from "../../command.ts";
import { usageError } from "../../errors.ts";
import { printable } from "../../text.ts";

export class ProjectsEdit extends ApiCommand {
  static override summary = "Change a project's name or description, or show where its release comes from.";
  static override description =
    "Changes only what a flag names. The address stays: it is in the game's URL. Needs a token with the scope projects.";
  static override examples = [
    example("Rename the project in svc.toml", '--name "My Better Game"'),
    example("Remove the description of another", 'my-game --description ""'),
  ];
  static override args = projectArg;
  static override flags = {
    ...projectFlag,
    name: Flags.string({ summary: "The name that people see.", helpValue: "NAME" }),
    description: Flags.string({ summary: "A description for players; empty: none.", helpValue: "TEXT" }),
    "how-to-play": Flags.string({ summary: "How it is played, for its public page; empty: none.", helpValue: "TEXT" }),
    "show-provenance": Flags.boolean({
      allowNo: true,
      summary: "Visibility: show everybody the repository, commit and run of the live release.",
    }),
  };

  async run() {
    const { args, flags } = await this.parse(ProjectsEdit);
    const { name, description, "how-to-play": howToPlay, "show-provenance": showProvenance } = flags;
    if ([name, description, howToPlay, showProvenance].every((flag) => flag === undefined))
      throw usageError("Nothing to change is named.", {
        next: "Add --name NAME, --description TEXT, --how-to-play TEXT or --show-provenance.",
      });
    const slug = await this.slugOf(args.slug ?? flags.project, "name it");
    const { client } = await this.connect(flags.api);
    const body = {
      ...(name !== undefined && { name }),
      ...(description !== undefined && { description: description === "" ? null : description }),
      ...(howToPlay !== undefined && { how_to_play: howToPlay === "" ? null : howToPlay }),
      ...(showProvenance !== undefined && { show_provenance: showProvenance }),
    };
    const project = await client.call("PATCH /projects/:slug", { params: { slug }, body });
    this.say(
      `Changed ${slug}: ${printable(project.name)}${project.description ? `, ${printable(project.description)}` : ""}`,
    );
    if (showProvenance !== undefined)
      this.say(
        project.show_provenance
          ? `Visibility: everybody sees the repository's name, the commit and the run of a release that a trusted publisher's job has published.`
          : `Visibility: only its members see where the live release comes from.`,
      );
    return project;
  }
}
