import type { ResponseBody } from "../../../contract/client.ts";
import type { Row } from "../columns.ts";
import { ApiCommand, example, projectFlag } from "../command.ts";
import { minute, nameOf } from "../text.ts";

export class Members extends ApiCommand {
  static override summary = "List the people of a project and their roles.";
  static override description =
    "A viewer sees everything and changes nothing; a publisher publishes and shows previews; an admin also changes settings, members and the CI jobs that may publish; the owner " +
    "also deletes the project or hands it over. Owner and admins see the open invitations too. They change a role, remove a member " +
    "and withdraw an invitation in the dashboard (svc open members): no token may do that. Times are in UTC.";
  static override examples = [example("Those of the project in svc.toml"), example("Another", "-p my-game")];
  static override flags = projectFlag;

  async run() {
    const { flags } = await this.parse(Members);
    const slug = await this.slugOf(flags.project);
    const { client } = await this.connect(flags.api);
    const { members, invitations } = await client.call("GET /projects/:slug/members", { params: { slug } });
    this.sayColumns(
      ["ROLE", "SINCE (UTC)", "NAME", "USER ID"],
      [...members.map(memberRow), ...invitations.map(invitationRow)],
    );
    return { project: slug, members, invitations };
  }
}

type People = ResponseBody<"listMembers">;

function memberRow({ role, since, user }: People["members"][number]): Row {
  return { cells: [role, minute(since), nameOf(user), user?.uid ?? ""] };
}

function invitationRow({ role, to, from, expires_at }: People["invitations"][number]): Row {
  const below = `invited by ${nameOf(from)}, expires ${minute(expires_at)}`;
  return { cells: [role, "invited", to === null ? "whoever has the link" : "", to ?? ""], below };
}
