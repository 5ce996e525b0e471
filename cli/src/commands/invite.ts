import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { ApiCommand, example, projectFlag } from "../command.ts";
import { usageError } from "../errors.ts";

export class Invite extends ApiCommand {
  static override summary = "Invite somebody to a project in the dashboard, or hand it over.";
  static override description =
    "There you get a link that works once, for 7 days, or invite a user by the user ID, which a person finds on their Account page. " +
    "The other person opens the link and accepts there. With the role owner the project is handed over to a user. " +
    "No token may do this, so that a stolen one cannot: you are asked to sign in.";
  static override examples = [
    example("Get a link for a publisher"),
    example("Invite a user as admin", "UID --role admin"),
    example("Hand the project over to a user", "UID --role owner"),
  ];
  static override args = {
    uid: Args.string({
      ignoreStdin: true,
      description: "The user ID of the only one who can accept; default: a link.",
    }),
  };
  static override flags = {
    ...projectFlag,
    role: Flags.string({
      summary: "What the other person will be.",
      options: ["publisher", "admin", "owner"],
      default: "publisher",
    }),
  };

  async run() {
    const { args, flags } = await this.parse(Invite);
    const { uid } = args;
    const { role } = flags;
    const slug = await this.slugOf(flags.project);
    if (role === "owner" && uid === undefined)
      throw usageError("A project is handed over to a user, not by a link.", { next: "svc invite UID --role owner" });
    this.say(
      role === "owner"
        ? `Hand it over to ${uid} at the end of its page, signed in to the dashboard:`
        : `Invite ${uid ?? "somebody by a link"} as ${role} under Members on its page, signed in to the dashboard:`,
    );
    return { role, to: uid ?? null, ...(await this.showProject(flags.api, slug)) };
  }
}
