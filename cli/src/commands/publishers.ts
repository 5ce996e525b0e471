import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { jobEvents } from "../../../contract/api/ci-jobs.ts";
import type { CallOptions } from "../client.ts";
import { ApiCommand, projectFlag } from "../command.ts";
import { usageError } from "../errors.ts";
import { publisherLine } from "../publisher-lines.ts";

export class Publishers extends ApiCommand {
  static override summary = "List the CI jobs that a project trusts, or trust more.";
  static override description =
    "They publish with their identity, without a stored token. Jobs are recognised by numbers that are never given out again, and by the file that they are written in. A refused job " +
    "prints the command that would trust it. Remove a publisher on the dashboard: that needs you to be signed in there.";
  static override examples = [
    { description: "Those of the project in svc.toml", command: "<%= config.bin %> <%= command.id %>" },
    {
      description: "Trust the workflow publish.yml of a repository, in its environment production",
      command:
        "<%= config.bin %> <%= command.id %> add github --repository-id 512345678 --owner-id 1234567 --file .github/workflows/publish.yml --environment production",
    },
    {
      description: "Trust the pipelines of a GitLab project's protected branches",
      command: "<%= config.bin %> <%= command.id %> add gitlab --repository-id 46573356 --owner-id 68413579",
    },
  ];
  static override args = {
    action: Args.string({ ignoreStdin: true, options: ["list", "add"], default: "list", description: "What to do." }),
    provider: Args.string({ ignoreStdin: true, options: ["github", "gitlab"], description: "Whose CI, for add." }),
  };
  static override flags = {
    ...projectFlag,
    "repository-id": Flags.string({
      summary: "The repository's number: GITHUB_REPOSITORY_ID or CI_PROJECT_ID of its jobs.",
      helpValue: "N",
    }),
    "owner-id": Flags.string({
      summary: "Its owner's number: GITHUB_REPOSITORY_OWNER_ID or CI_PROJECT_NAMESPACE_ID.",
      helpValue: "N",
    }),
    file: Flags.string({
      summary: "The path of the workflow or pipeline file; default: publish.yml of GitHub, .gitlab-ci.yml of GitLab.",
      helpValue: "PATH",
    }),
    environment: Flags.string({ summary: "The environment that the job must use.", helpValue: "NAME" }),
    event: Flags.option({
      summary: "What may start a GitHub workflow, instead of push, release and workflow_dispatch.",
      multiple: true,
      options: jobEvents,
    })(),
    unprotected: Flags.boolean({ summary: "Trust branches and tags that are not protected, too." }),
    name: Flags.string({ summary: "What people call the repository; it is shown only.", helpValue: "OWNER/NAME" }),
    issuer: Flags.string({ summary: "The issuer of a self-hosted GitHub or GitLab.", helpValue: "URL" }),
  };

  async run() {
    const { args, flags } = await this.parse(Publishers);
    const { findProject } = await import("../project.ts");
    const { slug } = findProject(flags.project);
    const { client } = await this.connect(flags.api);
    if (args.action === "list") {
      const { publishers } = await client.call("listPublishers", { params: { slug } });
      if (publishers.length === 0) this.say(`${slug} trusts no CI job. Trust one: svc publishers add`);
      for (const publisher of publishers) this.say(publisherLine(publisher));
      return { project: slug, publishers };
    }
    const publisher = await client.call("createPublisher", { params: { slug }, body: bodyOf(args.provider, flags) });
    this.say(`${this.style.green("Trusted")} for ${slug}: ${publisherLine(publisher)}`);
    return { project: slug, publisher };
  }
}

type Publisher = NonNullable<CallOptions<"createPublisher">["body"]>;

interface Words {
  readonly "repository-id"?: string | undefined;
  readonly "owner-id"?: string | undefined;
  readonly file?: string | undefined;
  readonly environment?: string | undefined;
  readonly event?: (typeof jobEvents)[number][] | undefined;
  readonly unprotected?: boolean;
  readonly name?: string | undefined;
  readonly issuer?: string | undefined;
}

/** @throws UserError (exit code 2) where a word is missing */
function bodyOf(provider: string | undefined, words: Words): Publisher {
  const { "repository-id": id, "owner-id": ownerId, file, environment, event, unprotected, name, issuer } = words;
  if (provider === undefined || id === undefined || ownerId === undefined)
    throw usageError("Say which jobs: github or gitlab, --repository-id and --owner-id.", {
      code: "invalid_usage",
      next: "A job that is refused prints the whole command. svc publishers --help has examples.",
    });
  const common = {
    ...(environment !== undefined && { environment }),
    ...(unprotected && { ref_protected: false }),
    ...(name !== undefined && { repository: name }),
    ...(issuer !== undefined && { issuer }),
  };
  if (provider === "gitlab")
    return {
      provider,
      project_id: id,
      namespace_id: ownerId,
      ...(file !== undefined && { ci_config_path: file }),
      ...common,
    };
  return {
    provider: "github",
    repository_id: id,
    repository_owner_id: ownerId,
    workflow: file ?? ".github/workflows/publish.yml",
    ...(event !== undefined && { events: event }),
    ...common,
  };
}
