import { statSync } from "node:fs";
import * as path from "node:path";
import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { ApiError } from "../../../contract/api-error.ts";
import type { Client } from "../../../contract/client.ts";
import { type Advice, adviceInWords } from "../../../contract/folder/advice.ts";
import type { PreviewSettings } from "../../../publisher/going-live.ts";
import type { Expectation } from "../../../publisher/publish.ts";
import { formatApiUrl } from "../api-url.ts";
import type { CheckRequest } from "../check/check-project.ts";
import { type PublishedRelease, sourceOfJob, writeJobOutputs } from "../ci-job.ts";
import { ApiCommand, example, projectFlag } from "../command.ts";
import { exitCodes, UserError, usageError } from "../errors.ts";
import { liveUrl } from "../live-url.ts";
import { notSeenYet } from "../publish/going-live.ts";
import { secretsWarning } from "../publish/left-out.ts";
import type { FolderOptions, Outcome } from "../publish/publish.ts";
import { watchSignals } from "../publish/signals.ts";
import type { JobToken } from "../sign-in/job-token.ts";
import { isScreen, printable } from "../text.ts";

type CheckedFolder = Pick<CheckRequest, "source" | "projectDirectory" | "signal">;

export class Publish extends ApiCommand {
  static override summary = "Publish a folder as the live release of a project.";
  static override description =
    "Sends only the files that the service does not have, in parallel, and makes the release live in one step: visitors " +
    "see the whole old release, then the whole new one. After an interruption the same command continues where it " +
    "stopped. Names that begin with a dot and names of secrets (*.pem, .env and others) are not published; .svcignore, with the syntax of " +
    ".gitignore, excludes more files or includes them again. In GitHub Actions and GitLab CI the release records the " +
    "commit, and a job that svc publishers trusts needs no token. With --json every line of standard output is one JSON document; the last one is the result.";
  static override examples = [
    example("Publish the project and folder of svc.toml"),
    example("See what would change, and change nothing", "dist --dry-run"),
    example("Describe what is new", '--message "Faster ships"'),
    example("Publish a game that is one page", '"My Story.html"'),
    example("Publish what an engine exported as a zip", "game.zip"),
    example("A first release, whose project does not exist yet", "dist --project my-game --create"),
    example("Try it at a URL of its own before it goes live", "--preview"),
    example("Show a pull request at one URL, which each push replaces", "--preview=pr-12"),
    example("Publish only if the game starts in a browser", "--check"),
    example("Publish only if this release is live still", "--expect-current 0Vx3mGk8cW2bT7qLr9Zs4A"),
  ];
  static override args = {
    dir: Args.string({
      ignoreStdin: true,
      description: "The folder, a zip of it, or a game that is one page; default: dir in svc.toml, else this folder.",
    }),
  };
  static override flags = {
    ...projectFlag,
    message: Flags.string({
      char: "m",
      summary: "What is new; the game's public page and svc releases show it.",
      helpValue: "TEXT",
    }),
    create: Flags.boolean({
      summary: "Create the project if you have none of this name; on a terminal svc asks. Needs the scope projects.",
    }),
    preview: Flags.string({
      summary:
        "Leave what is live, and show the release at a URL of its own for 7 days; svc live makes it live. With a name, such as --preview=pr-12, each release of that name takes the place of the one before, at one URL.",
      helpValue: "[NAME]",
    }),
    "new-url": Flags.boolean({
      summary: "Give the preview of this name a new URL; the one that it had is gone.",
      dependsOn: ["preview"],
    }),
    force: Flags.boolean({
      summary:
        "Publish also what is probably a mistake: a source in place of a build, or a page alone in place of a folder.",
    }),
    fresh: Flags.boolean({
      summary:
        "Take settings from svc.toml alone. Without it, missing ones are as a person last decided in the dashboard: settings, left-out files, the chosen picture.",
    }),
    "dry-run": Flags.boolean({ char: "n", summary: "Run every check, show what would change, and change nothing." }),
    check: Flags.boolean({
      summary: "Start the game in an installed browser first, as svc check does, and publish only if it starts.",
    }),
    owner: Flags.string({
      summary:
        "In a CI job without a token: the uid of the account whose project it must be. Needed until a release has come from the job's repository.",
      helpValue: "UID",
    }),
    "replace-later-run": Flags.boolean({
      summary:
        "In a CI job that runs again: go live even if a later run of its repository is live, unless the publisher forbids that.",
      exclusive: ["preview"],
    }),
    "expect-current": Flags.string({
      summary:
        "Publish only if RELEASE is live now (none: nothing is live; any: do not check). Default: the release that svc compared with.",
      helpValue: "RELEASE",
    }),
  };

  protected override readonly printsEvents = true;

  async run() {
    const { args, flags } = await this.parse(Publish, withPreviewValue(this.argv));
    const { folderOf } = await import("../project-file.ts");
    const { slug, file, directory } = await this.#project(flags, args.dir);
    const folder = args.dir ?? folderOf(directory, file.dir);
    if (flags.check && statSync(folder, { throwIfNoEntry: false })?.isFile())
      throw usageError("--check starts a folder: a zip or a page alone has to be unpacked or put into one first.");
    const preview = previewSettings(flags.preview, flags["new-url"]);
    const scope = preview || flags["dry-run"] ? undefined : "publish";
    const { target, client, job } = await this.connectTo({ slug, owner: flags.owner, scope }, flags.api);
    if (job !== undefined) this.#sayJob(job, slug);
    const [
      { isZip },
      { ignoreRules },
      { explainLoss, patienceWith },
      { createProgress },
      { publishFolder },
      { outcomeDocument, outcomeLines },
    ] = await Promise.all([
      import("../publish/folder.ts"),
      import("../publish/ignore-rules.ts"),
      import("../publish/patience.ts"),
      import("../publish/progress.ts"),
      import("../publish/publish.ts"),
      import("../publish-lines.ts"),
    ]);
    const expectation = (flag: string | undefined): Expectation =>
      flag === "any" ? false : flag === "none" ? null : flag;
    // The token of a CI job is for a project that exists.
    const mayCreate = job === undefined && (flags.create || flags["dry-run"] || this.canAsk());
    const { signal, ignore: ignoreSignals } = watchSignals(this.note);
    const isWatched = isScreen(process.stderr, process.env) && !process.env["CI"];
    const note = (text: string) => {
      // The bar of the progress is in this line.
      if (isWatched) process.stderr.write("\r\u001b[K");
      this.note(text);
    };
    const patience = patienceWith({ signal, isWatched, note });
    const source = sourceOfJob(process.env);
    const zip = isZip(folder) ? await (await import("../publish/zip.ts")).openZip(folder) : undefined;
    const rules = ignoreRules(folder, directory, file.ignore ?? [], zip?.ignoreFile);
    const isOwnProjectFile = path.resolve(folder) === path.resolve(directory);
    const checked = flags.check
      ? await this.#check(client, {
          source: { folder, rules, isOwnProjectFile, file },
          projectDirectory: directory,
          slug,
          signal,
        })
      : undefined;
    const began = performance.now();
    const options: FolderOptions = {
      client: client.withPatience(patience),
      slug,
      folder,
      zip,
      rules,
      isOwnProjectFile,
      description: {
        ...(flags.message !== undefined && { message: flags.message }),
        ...(source !== undefined && { source }),
      },
      isDryRun: flags["dry-run"],
      preview,
      expectCurrent: expectation(flags["expect-current"]),
      replacesLaterRun: flags["replace-later-run"],
      file,
      isForced: flags.force,
      isFresh: flags.fresh,
      progress: createProgress({ isJson: this.jsonEnabled(), isQuiet: this.isQuiet }),
      signal,
      patience,
      beforeHashing: async () => {
        return mayCreate && (await this.#createIfMissing(client, slug, flags));
      },
      onSecrets: (paths) => this.#warnOfSecrets(paths),
      onAdvice: (advice) => this.#warnOfBuild(advice),
      onActivation: ignoreSignals,
    };
    const publishAsConfirmed = async (confirmed: FolderOptions): Promise<Outcome> =>
      await publishFolder(confirmed).catch(async (failure: unknown) => {
        const isForced = await this.#isConfirmed(failure);
        return await publishAsConfirmed(
          isForced ? { ...confirmed, isForced } : { ...confirmed, page: await this.#pageInstead(failure, confirmed) },
        );
      });
    const outcome = await publishAsConfirmed(options)
      .catch(explainLoss)
      .finally(() => zip?.close());
    const fileUrl = new URL(`projects/${encodeURIComponent(slug)}/files/index.html`, target.api).href;
    const url = liveUrl(target.api, slug, outcome.playUrl).href;
    const seconds = (performance.now() - began) / 1_000;
    const leftOut = outcome.ignored.map((path) => ({ path, rule: rules.ruleOf(path) }));
    const facts = { slug, folder, seconds, url, named: flags.project, file, leftOut };
    for (const line of outcomeLines(outcome, facts, this.style)) this.say(line);
    if (outcome.edge === "waiting") this.note(notSeenYet);
    this.#writeJobOutputs(outcome, { slug, url, table: checked?.table });
    const document = outcomeDocument(outcome, { slug, api: formatApiUrl(target.api), seconds, url: fileUrl, leftOut });
    return checked === undefined ? document : { ...document, check: checked };
  }

  /**
   * Starts the folder's game, in CI beside the live release.
   *
   * @returns the document of `svc check`, and its table
   * @throws UserError if it does not start: nothing was sent
   */
  async #check(client: Client, { slug, ...folder }: CheckedFolder & { readonly slug: string }) {
    const [{ checkProject }, { checkDocument, problemLine, summaryTable }] = await Promise.all([
      import("../check/check-project.ts"),
      import("../check/check-lines.ts"),
    ]);
    const live = process.env["GITHUB_ACTIONS"] === "true" ? await this.#playUrl(client, slug) : undefined;
    const checked = await checkProject({ ...folder, slug, browser: undefined, waitSeconds: 30, live });
    const { check, liveVisit } = checked;
    if (!check.starts)
      throw new UserError("The game does not start, so nothing was published.", {
        code: "does_not_start",
        places: check.problems.map(problemLine),
        next: "svc check shows what was loaded. Without --check it is published as it is.",
      });
    for (const problem of check.problems) this.note(printable(problemLine(problem)));
    return { ...checkDocument(checked), table: summaryTable(check, liveVisit) };
  }

  /** Where the live release is played; undefined if none is, or nobody can say. */
  async #playUrl(client: Client, slug: string): Promise<URL | undefined> {
    const project = await client
      .withOneTry()
      .call("GET /projects/:slug", { params: { slug } })
      .catch(() => undefined);
    return project?.current_release && project.play_url !== null ? new URL(project.play_url) : undefined;
  }

  /** The project of the command line or of svc.toml. In a folder without one a person is asked, and svc.toml keeps the reply. */
  async #project(flags: { project: string | undefined; "dry-run": boolean }, dir: string | undefined) {
    const { findProject } = await import("../project.ts");
    try {
      return findProject(flags.project);
    } catch (error) {
      if (!(error instanceof UserError && error.code === "no_project" && this.canAsk())) throw error;
    }
    const { askForProject } = await import("../first-project.ts");
    return await askForProject({ dir, isKept: !flags["dry-run"], say: (line) => this.say(line) });
  }

  /** Whether a person wants what is probably a mistake. */
  async #isConfirmed(failure: unknown): Promise<boolean> {
    const { UnconfirmedError } = await import("../publish/unconfirmed.ts");
    if (!(failure instanceof UnconfirmedError) || !this.canAsk()) return false;
    return await (await import("../question.ts")).confirm(failure.question);
  }

  /** The page that is published as index.html if the folder has none: as before, or as a person says. @throws what failed, if nobody says so */
  async #pageInstead(failure: unknown, { client, slug, isFresh }: FolderOptions): Promise<string> {
    const { NoIndexError } = await import("../publish/refusal-words.ts");
    const page = failure instanceof NoIndexError ? failure.page : undefined;
    if (page === undefined) throw failure;
    const { readBeginning } = await import("../../../publisher/beginning.ts");
    // Whoever cannot be reached is reported with what is wrong here.
    const beginning = isFresh ? undefined : await readBeginning(client.withOneTry(), slug).catch(() => undefined);
    if (beginning?.choices.page === page) return page;
    if (!this.canAsk()) throw failure;
    const { confirm } = await import("../question.ts");
    if (!(await confirm(`There is no index.html. Publish ${page} as index.html?`))) throw failure;
    return page;
  }

  /** Says as whom it publishes, which a log of CI should have. */
  #sayJob({ provider, owner }: JobToken, slug: string): void {
    process.stderr.write(`Publishing as this ${provider} job, by its identity and without a stored token.\n`);
    if (owner)
      process.stderr.write(`The project ${slug} is ${printable(owner.name)}’s (uid ${printable(owner.uid)}).\n`);
  }

  /**
   * Creates a missing project if the command line or the person says so: before the folder is hashed, which may take long.
   *
   * @returns whether it is missing still, in a dry run
   */
  async #createIfMissing(client: Client, slug: string, flags: { create: boolean; "dry-run": boolean }) {
    try {
      // Not getProject, which shows other people's projects too.
      await client.call("GET /projects/:slug/releases", { params: { slug }, query: { limit: "1" } });
      return false;
    } catch (failure) {
      const isMissing = failure instanceof ApiError && failure.code === "project_not_found";
      // Any other failure is reported when the release is opened.
      if (!isMissing) return false;
      const explained = flags.create ? undefined : await this.explainMissing(slug);
      if (explained) throw explained;
      if (flags["dry-run"]) {
        await assertFree(client, slug);
        return true;
      }
      const { confirm } = await import("../question.ts");
      if (!flags.create && !(await confirm(`You have no project ${slug}. Create it?`))) throw failure;
      await client.call("POST /projects", { creates: true, body: { slug } });
      this.say(`Created project ${slug}.`);
      return false;
    }
  }

  #writeJobOutputs(outcome: Outcome, facts: Pick<PublishedRelease, "slug" | "url" | "table">): void {
    const { kind, releaseId, review } = outcome;
    if (kind === "previewed" || kind === "dry_run") return;
    const published = { ...facts, release: releaseId ?? "", kind, reviewUrl: review?.url };
    const problem = writeJobOutputs(process.env, published);
    if (problem !== undefined) this.note(problem);
  }

  #warnOfSecrets(paths: readonly string[]): void {
    const warning = secretsWarning(paths);
    if (warning !== undefined) this.note(warning);
  }

  #warnOfBuild(advice: readonly Advice[]): void {
    for (const one of advice.slice(0, 20)) this.note(printable(adviceInWords(one)));
    if (advice.length > 20) this.note(`and ${advice.length - 20} more.`);
  }
}

/** @throws UserError `slug_taken` if somebody else has the project */
async function assertFree(client: Client, slug: string): Promise<void> {
  const isTaken = await client.call("GET /projects/:slug", { params: { slug } }).then(
    () => true,
    (failure) => {
      if (failure instanceof ApiError && failure.code === "project_not_found") return false;
      throw failure;
    },
  );
  if (isTaken)
    throw new UserError(`Somebody else has a project ${slug}.`, {
      code: "slug_taken",
      exitCode: exitCodes.conflict,
      next: "Choose another address: svc init writes it to svc.toml.",
    });
}

/** A flag cannot have its value or none: without one it gets an empty one. */
function withPreviewValue(argv: readonly string[]): string[] {
  const end = argv.indexOf("--");
  return argv.map((text, index) => (text === "--preview" && (end === -1 || index < end) ? "--preview=" : text));
}

function previewSettings(name: string | undefined, newUrl: boolean): PreviewSettings | undefined {
  if (name === undefined) return undefined;
  if (newUrl && name === "")
    throw new UserError("--new-url is for a preview with a name: without one the URL follows from the files.", {
      code: "usage",
      exitCode: exitCodes.usage,
      next: "svc publish --preview=NAME --new-url",
    });
  return { name: name === "" ? undefined : name, newUrl };
}
