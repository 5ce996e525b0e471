import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import type { Client } from "../client.ts";
import { ApiCommand, projectFlag } from "../command.ts";
import { UserError } from "../errors.ts";

export class Rollback extends ApiCommand {
  static override summary = "Make an earlier release live again.";
  static override description =
    "Takes one request and sends no file. The release that was live stays, and svc rollback can make it live again.";
  static override examples = [
    { description: "Back to the release that was live before", command: "<%= config.bin %> <%= command.id %>" },
    {
      description: "Back to a release that svc releases shows",
      command: "<%= config.bin %> <%= command.id %> 0Vx3mGk8cW2bT7qLr9Zs4A",
    },
  ];
  static override args = {
    release: Args.string({
      ignoreStdin: true,
      description: "The release, as svc releases shows it; default: the one that was live before.",
    }),
  };
  static override flags = {
    ...projectFlag,
    "expect-current": Flags.string({ summary: "Roll back only if this release is live now.", helpValue: "RELEASE" }),
  };

  async run() {
    const { args, flags } = await this.parse(Rollback);
    const { findProject } = await import("../project.ts");
    const { slug } = findProject(flags.project);
    const { client } = await this.connect(flags.api);
    const wanted =
      args.release === undefined ? await findPrevious(client, slug) : { id: args.release, live: undefined };
    const expected = flags["expect-current"] ?? wanted.live;
    const { release, previous_release } = await client.call("publishRelease", {
      params: { slug, id: wanted.id },
      body: expected === undefined ? {} : { expect_current: expected },
    });
    this.say(
      previous_release === release.id || previous_release === null
        ? `Release ${release.id} of ${slug} is live.`
        : `Release ${release.id} of ${slug} is live again, in place of ${previous_release}.`,
    );
    return { project: slug, release, previous_release };
  }
}

/** The release that was live last before the present one, and the present one, among the newest hundred. */
async function findPrevious(client: Client, slug: string): Promise<{ id: string; live: string | undefined }> {
  const { releases } = await client.call("listReleases", { params: { slug }, query: { limit: "100" } });
  const [previous] = releases
    .filter(({ status }) => status === "published")
    .sort((a, b) => ((a.published_at ?? "") > (b.published_at ?? "") ? -1 : 1));
  if (previous !== undefined) return { id: previous.id, live: releases.find(({ status }) => status === "live")?.id };
  throw new UserError(`${slug} has no release that was live before.`, {
    code: "no_earlier_release",
    next: "svc releases shows all of them.",
  });
}
