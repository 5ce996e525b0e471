import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { ApiCommand, example, projectFlag } from "../command.ts";
import { idOfRelease, nameOfRelease } from "../release-lines.ts";
import { printableLines } from "../text.ts";

export class Notes extends ApiCommand {
  static override summary = "Show or edit what a release says is new.";
  static override description =
    "The game's public page shows it a minute later. Without --message and --remove it is only shown. svc history says who edited it.";
  static override examples = [
    example("What release 3 says is new", "3"),
    example("Edit it", '3 --message "Faster ships"'),
  ];
  static override args = {
    release: Args.string({
      ignoreStdin: true,
      required: true,
      description: "The release or its number, as svc releases shows it.",
    }),
  };
  static override flags = {
    ...projectFlag,
    message: Flags.string({ summary: "What is new.", helpValue: "TEXT", exclusive: ["remove"] }),
    remove: Flags.boolean({ summary: "Say nothing of it." }),
  };

  async run() {
    const { args, flags } = await this.parse(Notes);
    const slug = await this.slugOf(flags.project);
    const { client } = await this.connectTo({ slug }, flags.api);
    const params = { slug, id: await idOfRelease(client, slug, args.release) };
    const message = flags.remove ? null : flags.message;
    const release =
      message === undefined
        ? await client.call("GET /projects/:slug/releases/:id", { params })
        : await client.call("PATCH /projects/:slug/releases/:id", { params, body: { message } });
    const name = `Release ${nameOfRelease(release)} of ${slug}`;
    if (message !== undefined) this.say(`${name} ${message === null ? "says nothing of what is new" : "is edited"}.`);
    else if (release.message === null) this.say(`${name} says nothing of what is new.`);
    else this.say(printableLines(release.message));
    return { project: slug, release };
  }
}
