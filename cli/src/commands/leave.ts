import { ApiCommand, example, projectArg } from "../command.ts";

export class Leave extends ApiCommand {
  static override summary = "Leave a project of which you are a member.";
  static override description =
    "You and your tokens can do nothing in it from the next request on; what you have published stays. To come back takes an invitation. " +
    "Its owner cannot leave: svc invite UID --role owner hands it over. Asks first on a terminal. Needs a token with the scope projects.";
  static override examples = [example("The project in svc.toml"), example("Another", "my-game")];
  static override args = projectArg;

  async run() {
    const { args, flags } = await this.parse(Leave);
    const slug = await this.slugOf(args.slug, "name it");
    const { client } = await this.connect(flags.api);
    if (await this.isDeclined(`Leave ${slug}? You can do nothing in it then.`)) return { project: slug, left: false };
    await client.call("removeMember", { params: { slug, member: "me" } });
    this.say(`You are no member of ${slug} any more.`);
    return { project: slug, left: true };
  }
}
