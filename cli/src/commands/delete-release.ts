import * as Args from "@oclif/core/args";
import { ApiCommand, example, projectFlag } from "../command.ts";
import { UserError } from "../errors.ts";
import { idOfRelease, releaseInWords } from "../release-lines.ts";

export class ReleasesDelete extends ApiCommand {
  static override hiddenAliases = ["withdraw"];
  static override summary = "Delete an earlier release: opens the dashboard, where you confirm it.";
  static override description =
    "For a release that nobody should have any more, such as one with a secret in it. Make another one live first: the live " +
    "one cannot be deleted. It is for good, so that no token may do it, and no CI job: you are asked to sign in. With a " +
    "token svc says first whether the release can be deleted. Prints the URL of the project's page, and opens it if there is a screen.";
  static override examples = [example("Delete a release that svc releases shows", "3")];
  static override args = {
    release: Args.string({
      ignoreStdin: true,
      required: true,
      description: "The release or its number, as svc releases shows it.",
    }),
  };
  static override flags = projectFlag;

  async run() {
    const { args, flags } = await this.parse(ReleasesDelete);
    const slug = await this.slugOf(flags.project);
    const release = await this.#deletable(slug, args.release, flags.api);
    this.say(`Find ${release} of ${slug} there under Releases, and choose Delete release:`);
    return { release: args.release, ...(await this.showProject(flags.api, slug)) };
  }

  /** The release in words, as far as a token may know. @throws UserError if it is live, or deleted already */
  async #deletable(slug: string, name: string, flag: string | undefined): Promise<string> {
    const { api, credential } = this.chooseTarget(flag);
    if (credential === undefined) return `release ${name}`;
    const client = await this.clientFor(api, credential);
    const id = await idOfRelease(client, slug, name);
    const release = await client.call("GET /projects/:slug/releases/:id", { params: { slug, id } });
    if (release.status === "live")
      throw new UserError(`Release ${releaseInWords(release)} is live, and the live one cannot be deleted.`, {
        code: "release_live",
        next: "svc rollback or svc live RELEASE makes another one live; svc offline takes the game offline.",
      });
    if (release.status === "withdrawn")
      throw new UserError(`Release ${releaseInWords(release)} is deleted already.`, { code: "release_withdrawn" });
    return releaseInWords(release);
  }
}
