import * as Flags from "@oclif/core/flags";
import { publicPagePath } from "../../../contract/api/projects/public-page.ts";
import { ApiError } from "../../../contract/api-error.ts";
import { ApiCommand, example, projectFlag } from "../command.ts";
import type { Target } from "../credential.ts";
import { UserError } from "../errors.ts";

export class Open extends ApiCommand {
  static override summary = "Open the live release of a project in a browser.";
  static override description = "Prints its URL, and opens it if there is a screen. Needs no token.";
  static override examples = [
    example("Play the project in svc.toml"),
    example("Edit, hand over or delete it in the dashboard", "--dashboard"),
    example("Print the URL of another project, open nothing", "-p my-game | cat"),
  ];
  static override flags = {
    ...projectFlag,
    dashboard: Flags.boolean({
      summary: "Open the project's page in the dashboard instead.",
      exclusive: ["public-page"],
    }),
    "public-page": Flags.boolean({
      aliases: ["about"],
      summary: "Open the game's public page instead: picture, description and what is new.",
    }),
  };

  async run() {
    const { flags } = await this.parse(Open);
    const slug = await this.slugOf(flags.project);
    if (flags.dashboard) return await this.showProject(flags.api, slug);
    const { target, client } = await this.connectWithoutToken(flags.api);
    const project = await client.call("GET /projects/:slug", { params: { slug } }).catch(async (error: unknown) => {
      throw (await this.#deletion(slug, target, error)) ?? error;
    });
    if (project.current_release === null)
      throw new UserError(`No release of ${slug} is live.`, {
        code: "not_published",
        next: "svc publish, or svc releases and svc live RELEASE to make an earlier one live.",
      });
    const { liveUrl } = await import("../live-url.ts");
    if (flags["public-page"] && project.play_url === null)
      throw new UserError("This service has no hosts where games are played, so no public page.", {
        code: "no_games_domain",
      });
    const live = liveUrl(target.api, slug, project.play_url);
    const url = flags["public-page"] ? new URL(publicPagePath, live) : live;
    return { project: slug, url: url.href, opened: await this.show(url) };
  }

  /** The public route does not find a deleted project. Its owner reads that it can be restored. */
  async #deletion(slug: string, { api, credential }: Target, error: unknown): Promise<UserError | undefined> {
    if (!(error instanceof ApiError && error.code === "project_not_found") || !credential) return undefined;
    const { deletedProjects, restorable } = await import("./projects/list.ts");
    const deleted = await deletedProjects(await this.clientFor(api, credential)).catch(() => []);
    const project = deleted.find((other) => other.slug === slug);
    return project && new UserError(restorable(project), { code: "project_deleted" });
  }
}
