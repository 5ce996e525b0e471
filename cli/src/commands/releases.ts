import * as Flags from "@oclif/core/flags";
import type { ResponseTo } from "../client.ts";
import { ApiCommand, projectFlag } from "../command.ts";
import { count, humanBytes, table } from "../text.ts";

type Release = ResponseTo<"listReleases">["releases"][number];

export class Releases extends ApiCommand {
  static override summary = "List the releases of a project, newest first.";
  static override description =
    "live: what visitors see; earlier: was live before, and svc rollback makes it live again; open: not finished, and the " +
    "same svc publish within 7 days continues it.";
  static override examples = [
    { description: "The releases of the project in svc.toml", command: "<%= config.bin %> <%= command.id %>" },
    {
      description: "The last three of another project",
      command: "<%= config.bin %> <%= command.id %> --project my-game --limit 3",
    },
  ];
  static override flags = {
    ...projectFlag,
    limit: Flags.integer({
      char: "l",
      summary: "How many, 100 at most.",
      default: 20,
      min: 1,
      max: 100,
      helpValue: "N",
    }),
  };

  async run() {
    const { flags } = await this.parse(Releases);
    const { findProject } = await import("../project.ts");
    const { slug } = findProject(flags.project);
    const { client } = await this.connect(flags.api);
    const { releases } = await client.call("listReleases", { params: { slug }, query: { limit: String(flags.limit) } });
    if (releases.length === 0) this.say(`${slug} has no releases yet. Publish one: svc publish`);
    else
      this.say(
        table(
          releases.map((release) => [release.id, this.#line(release)]),
          this.style.bold,
        ),
      );
    return { project: slug, releases };
  }

  #line({ status, files, bytes, created_at, published_at, message, source }: Release): string {
    const { dim, green } = this.style;
    const word = (status === "published" ? "earlier" : status).padEnd(7);
    const size = `${count(files, "file")}, ${humanBytes(bytes)}`;
    const said = [source?.commit.slice(0, 7), message?.split("\n")[0]].filter(Boolean).join("  ");
    return `${status === "live" ? green(word) : word}  ${published_at ?? created_at}  ${dim(size)}  ${said}`.trimEnd();
  }
}
