import * as Args from "@oclif/core/args";
import { publicPagePath } from "../../../contract/api/projects/public-page.ts";
import { ApiError } from "../../../contract/api-error.ts";
import { ApiCommand, example, projectFlag } from "../command.ts";
import type { Target } from "../credential.ts";
import { dashboardPath, isOfProject, openPlaces } from "../dashboard-places.ts";
import { UserError, usageError } from "../errors.ts";
import { closest } from "../suggest.ts";

interface OpenFlags {
  readonly api: string | undefined;
  readonly project: string | undefined;
}

/** @throws UserError (exit code 2) with what was probably meant: a place, or the project */
function assertPlace(word: string): void {
  const words = openPlaces().map(([place]) => place);
  if (words.includes(word)) return;
  const meant = closest(word, words) ?? `-p ${word}`;
  throw usageError(`svc open knows no place ${word}. Did you mean svc open ${meant}?`, {
    code: "unknown_place",
    next: "svc open --help lists the places.",
  });
}

export class Open extends ApiCommand {
  static override summary = "Open the game, or its place in the dashboard, in a browser.";
  static override description =
    "Prints the URL, and opens it if there is a screen. Sends no token. Tokens, people, CI jobs and deletions are only in the " +
    "dashboard, where you are asked to sign in: no token may change them, so that a stolen one cannot.";
  static override examples = [
    example("Play the project in svc.toml"),
    example("Invite somebody", "members"),
    example("Revoke a token", "tokens"),
    example("Print the URL of another project, open nothing", "-p my-game | cat"),
  ];
  static override args = {
    place: Args.string({
      ignoreStdin: true,
      default: "game",
      description: "What to open: one of the places.",
    }),
  };
  static override flags = projectFlag;

  async run() {
    const { args, flags } = await this.parse(Open);
    const { place } = args;
    assertPlace(place);
    if (place === "game" || place === "page") return await this.#openGame(place, flags);
    const slug = isOfProject(place) ? await this.slugOf(flags.project) : undefined;
    const target = this.chooseTarget(flags.api);
    const { dashboardUrl } = await import("../dashboard.ts");
    const url = await dashboardUrl(target.api, dashboardPath(place, slug));
    return { place, ...(slug !== undefined && { project: slug }), url: url.href, opened: await this.#show(url) };
  }

  async #openGame(place: "game" | "page", flags: OpenFlags) {
    const slug = await this.slugOf(flags.project);
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
    if (place === "page" && project.play_url === null)
      throw new UserError("This service has no hosts where games are played, so no public page.", {
        code: "no_games_domain",
      });
    const live = liveUrl(target.api, slug, project.play_url);
    const url = place === "page" ? new URL(publicPagePath, live) : live;
    return { place, project: slug, url: url.href, opened: await this.#show(url) };
  }

  /** Prints a URL, and opens it in a browser if a person and a screen are there. */
  async #show(url: URL): Promise<boolean> {
    this.say(url.href);
    const { hasScreen, openInBrowser } = await import("../browser.ts");
    const isOpened = process.stdout.isTTY === true && !this.jsonEnabled() && hasScreen();
    if (isOpened) openInBrowser(url);
    return isOpened;
  }

  /** The public route does not find a deleted project. Its owner reads that it can be restored. */
  async #deletion(slug: string, { api, credential }: Target, error: unknown): Promise<UserError | undefined> {
    if (!(error instanceof ApiError && error.code === "project_not_found") || !credential) return undefined;
    const { deletedProjects, restorable } = await import("./projects/list.ts");
    const deleted = await deletedProjects(await this.clientFor(api, credential)).catch(() => []);
    const project = deleted.find((other) => other.slug === slug);
    return project && new UserError(restorable(project), { code: "project_deleted", next: "svc open projects" });
  }
}
