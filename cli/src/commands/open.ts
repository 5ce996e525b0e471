import { ApiCommand, projectFlag } from "../command.ts";
import { UserError } from "../errors.ts";

export class Open extends ApiCommand {
  static override summary = "Open the live release of a project in a browser.";
  static override description = "Prints its URL, and opens it where there is a screen. Needs no token.";
  static override examples = [
    { description: "Play the project in svc.toml", command: "<%= config.bin %> <%= command.id %>" },
    {
      description: "Print the URL of another project, open nothing",
      command: "<%= config.bin %> <%= command.id %> -p my-game | cat",
    },
  ];
  static override flags = { ...projectFlag };

  async run() {
    const { flags } = await this.parse(Open);
    const { findProject } = await import("../project.ts");
    const { slug } = findProject(flags.project);
    const { target, client } = await this.connectWithoutToken(flags.api);
    const project = await client.call("getProject", { params: { slug } });
    if (project.current_release === null)
      throw new UserError(`${slug} has no live release yet.`, { code: "not_published", next: "svc publish" });
    const { liveUrl } = await import("../live-url.ts");
    const url = liveUrl(target.api, slug, project.play_url);
    this.say(url.href);
    const isOpened = process.stdout.isTTY && !this.jsonEnabled() && (await import("../browser.ts")).openInBrowser(url);
    return { project: slug, url: url.href, opened: isOpened };
  }
}
