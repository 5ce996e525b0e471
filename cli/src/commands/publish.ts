import * as path from "node:path";
import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { ApiError } from "../../../contract/api-error.ts";
import type { Client } from "../../../contract/client.ts";
import { type Advice, adviceInWords } from "../../../contract/folder/advice.ts";
import type { PreviewSettings } from "../../../publisher/going-live.ts";
import { formatApiUrl } from "../api-url.ts";
import { sourceOfJob, writeJobOutputs } from "../ci-job.ts";
import { ApiCommand, example, projectFlag } from "../command.ts";
import { exitCodes, UserError } from "../errors.ts";
import { liveUrl } from "../live-url.ts";
import { type Expectation, notSeenYet } from "../publish/going-live.ts";
import { secretsWarning } from "../publish/left-out.ts";
import type { Outcome, PublishOptions } from "../publish/publish.ts";
import { watchSignals } from "../publish/signals.ts";
import type { JobToken } from "../sign-in/job-token.ts";
import { printable } from "../text.ts";

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
        "Take settings from svc.toml alone. Without it, what svc.toml does not name is as a person decided it in the dashboard: settings, left-out files, the chosen picture.",
    }),
    "dry-run": Flags.boolean({ char: "n", summary: "Run every check, show what would change, and change nothing." }),
    owner: Flags.string({
      summary:
        "In a CI job without a token: the uid of the account whose project it must be. Needed until a release has come from the job's repository.",
      helpValue: "UID",
    }),
    "expect-current": Flags.string({
      summary:
        "Publish only if this release is live now; none: only if no release is live; any: whichever is. Without it: the one that the files are compared with.",
      helpValue: "RELEASE",
    }),
  };

  protected override readonly printsEvents = true;

  async run() {
    const { args, flags } = await this.parse(Publish, withPreviewValue(this.argv));
    const [{ findProject }, { folderOf }] = await Promise.all([import("../project.ts"), import("../project-file.ts")]);
    const { slug, file, directory } = findProject(flags.project);
    const folder = args.dir ?? folderOf(directory, file.dir);
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
    const mayCreate = job === undefined && !flags["dry-run"] && (flags.create || this.canAsk());
    const interruption = watchSignals(this.note);
    const isWatched = process.stderr.isTTY && !process.env["CI"];
    const note = (text: string) => {
      // The bar of the progress is in this line.
      if (isWatched) process.stderr.write("\r\u001b[K");
      this.note(text);
    };
    const patience = patienceWith({ signal: interruption.signal, isWatched, note });
    const source = sourceOfJob(process.env);
    const zip = isZip(folder) ? await (await import("../publish/zip.ts")).openZip(folder) : undefined;
    const rules = ignoreRules(folder, directory, file.ignore ?? [], zip?.ignoreFile);
    const began = performance.now();
    const options: PublishOptions = {
      client: client.withPatience(patience),
      slug,
      folder,
      zip,
      rules,
      isOwnProjectFile: path.resolve(folder) === path.resolve(directory),
      description: {
        ...(flags.message !== undefined && { message: flags.message }),
        ...(source !== undefined && { source }),
      },
      isDryRun: flags["dry-run"],
      preview,
      expectCurrent: expectation(flags["expect-current"]),
      file,
      isForced: flags.force,
      isFresh: flags.fresh,
      progress: createProgress({ isJson: this.jsonEnabled(), isQuiet: this.isQuiet }),
      signal: interruption.signal,
      patience,
      beforeHashing: async () => {
        if (mayCreate) await this.#createIfMissing(client, slug, flags.create);
      },
      onSecrets: (paths) => this.#warnOfSecrets(paths),
      onAdvice: (advice) => this.#warnOfBuild(advice),
      onGoingLive: interruption.ignore,
    };
    const publishAsConfirmed = async (confirmed: PublishOptions): Promise<Outcome> =>
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
    if (outcome.kind === "published" || outcome.kind === "unchanged") this.#writeJobOutputs(outcome, { slug, url });
    return outcomeDocument(outcome, { slug, api: formatApiUrl(target.api), seconds, url: fileUrl, leftOut });
  }

  /** Whether a person wants what is probably a mistake. */
  async #isConfirmed(failure: unknown): Promise<boolean> {
    const { UnconfirmedError } = await import("../publish/unconfirmed.ts");
    if (!(failure instanceof UnconfirmedError) || !this.canAsk()) return false;
    return await (await import("../question.ts")).confirm(failure.question);
  }

  /** The page that is published as index.html if the folder has none: as before, or as a person says. @throws what failed, if nobody says so */
  async #pageInstead(failure: unknown, { client, slug, isFresh }: PublishOptions): Promise<string> {
    const { NoIndexError } = await import("../publish/refusal-words.ts");
    const page = failure instanceof NoIndexError ? failure.page : undefined;
    if (page === undefined) throw failure;
    const { beginning } = await import("../../../publisher/beginning.ts");
    // Whoever cannot be reached is reported with what is wrong here.
    const begun = isFresh ? undefined : await beginning(client.withOneTry(), slug).catch(() => undefined);
    if (begun?.choices.page === page) return page;
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

  /** Creates a missing project if the command line or the person says so: before the folder is hashed, which may take long. */
  async #createIfMissing(client: Client, slug: string, isWanted: boolean): Promise<void> {
    try {
      // Not getProject, which shows other people's projects too.
      await client.call("GET /projects/:slug/releases", { params: { slug }, query: { limit: "1" } });
    } catch (failure) {
      const isMissing = failure instanceof ApiError && failure.code === "project_not_found";
      // Any other failure is reported when the release is opened.
      if (!isMissing) return;
      const { confirm } = await import("../question.ts");
      if (!isWanted && !(await confirm(`You have no project ${slug}. Create it?`))) throw failure;
      await client.call("POST /projects", { creates: true, body: { slug } });
      this.say(`Created project ${slug}.`);
    }
  }

  #writeJobOutputs({ kind, releaseId }: Outcome, { slug, url }: { slug: string; url: string }): void {
    const problem = writeJobOutputs(process.env, { slug, url, release: releaseId ?? "", isNew: kind === "published" });
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
