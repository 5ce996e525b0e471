import * as Flags from "@oclif/core/flags";
import { ApiCommand } from "../command.ts";
import { count, humanBytes, table } from "../text.ts";

export class Releases extends ApiCommand {
  static override summary = "List the releases of a project, newest first.";
  static override description =
    "live: what visitors see; published: was live and can be again; open: begun, not finished.";
  static override examples = [
    { description: "Those of the project in svc.toml", command: "<%= config.bin %> <%= command.id %>" },
    {
      description: "The last three of another",
      command: "<%= config.bin %> <%= command.id %> --project my-game --limit 3",
    },
  ];
  static override flags = {
    project: Flags.string({ summary: "The project, instead of the one in svc.toml.", helpValue: "SLUG" }),
    limit: Flags.integer({ summary: "How many, 100 at most.", default: 20, min: 1, max: 100, helpValue: "N" }),
  };

  async run() {
    const { flags } = await this.parse(Releases);
    const { findProject } = await import("../project.ts");
    const { slug } = findProject(flags.project);
    const { client } = await this.connect(flags.api);
    const { releases } = await client.call("listReleases", { params: { slug }, query: { limit: String(flags.limit) } });
    const { bold, dim, green } = this.style;
    if (releases.length === 0) this.say(`${slug} has no releases yet. svc publish makes one.`);
    else
      this.say(
        table(
          releases.map(({ id, status, files, bytes, created_at, published_at }) => [
            id,
            `${status === "live" ? green(status.padEnd(9)) : status.padEnd(9)}  ${published_at ?? created_at}  ${dim(`${count(files, "file")}, ${humanBytes(bytes)}`)}`,
          ]),
          bold,
        ),
      );
    return { project: slug, releases };
  }
}
