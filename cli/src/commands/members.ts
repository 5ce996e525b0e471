import * as Flags from "@oclif/core/flags";
import type { ResponseBody } from "../../../contract/client.ts";
import type { Row } from "../columns.ts";
import { ApiCommand, example, projectFlag } from "../command.ts";
import { minute, nameOf } from "../text.ts";

export class Members extends ApiCommand {
  static override summary = "List the people of a project and their roles.";
  static override description =
    "A viewer sees everything and changes nothing; a publisher publishes and shows previews; an admin also changes settings, members and the CI jobs that may publish; the owner " +
    "also deletes the project or hands it over. Owner and admins see the open invitations too. They change a role, remove a member " +
    "and withdraw an invitation in the dashboard (svc open members): no token may do that. Times are in UTC. With --all: who works on " +
    "projects that you own, and who joins each one that you create; svc open people invites to several and removes from all.";
  static override examples = [
    example("Those of the project in svc.toml"),
    example("Another", "-p my-game"),
    example("Those of all your projects", "--all"),
  ];
  static override flags = {
    ...projectFlag,
    all: Flags.boolean({ summary: "The people of all projects that you own.", exclusive: ["project"] }),
  };

  async run() {
    const { flags } = await this.parse(Members);
    if (flags.all) return await this.#listAll(flags.api);
    const slug = await this.slugOf(flags.project);
    const { client } = await this.connect(flags.api);
    const { members, invitations } = await client.call("GET /projects/:slug/members", { params: { slug } });
    this.sayColumns(
      ["ROLE", "SINCE (UTC)", "NAME", "USER ID"],
      [...members.map(memberRow), ...invitations.map(invitationRow)],
    );
    return { project: slug, members, invitations };
  }

  async #listAll(api: string | undefined) {
    const { client } = await this.connect(api);
    const team = await client.call("GET /team");
    const rows = [...team.people.flatMap(personRows), ...team.invitations.map(severalRow)];
    if (rows.length === 0) this.say("Nobody but you works on your projects. svc open people invites somebody.");
    else this.sayColumns(["ROLE", "PROJECT", "NAME", "USER ID"], rows);
    return team;
  }
}

type Team = ResponseBody<"listTeam">;

/** A line for each project, and one for those to come. */
function personRows({ user, future, projects }: Team["people"][number]): Row[] {
  const person = [nameOf(user), user?.uid ?? ""];
  const rows = projects.map(({ role, slug }) => ({ cells: [role, slug, ...person] }));
  return future === null ? rows : [...rows, { cells: [future, "(each new one)", ...person] }];
}

function severalRow({ project, invitation }: Team["invitations"][number]): Row {
  const { role, to, more_projects: more, future, expires_at } = invitation;
  const below = `invited to ${[project, ...more, ...(future ? ["each new one"] : [])].join(", ")}, expires ${minute(expires_at)}`;
  return { cells: [role, "invited", to === null ? "whoever has the link" : "", to ?? ""], below };
}

type People = ResponseBody<"listMembers">;

function memberRow({ role, since, user }: People["members"][number]): Row {
  return { cells: [role, minute(since), nameOf(user), user?.uid ?? ""] };
}

function invitationRow({ role, to, from, expires_at }: People["invitations"][number]): Row {
  const below = `invited by ${nameOf(from)}, expires ${minute(expires_at)}`;
  return { cells: [role, "invited", to === null ? "whoever has the link" : "", to ?? ""], below };
}
