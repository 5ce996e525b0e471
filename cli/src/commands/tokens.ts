import { ApiCommand, example } from "../command.ts";

export class Tokens extends ApiCommand {
  static override summary = "Open the dashboard's page of your tokens.";
  static override description =
    "There you create, list, replace and revoke tokens: no token may do that. Prints the URL, and opens it if there is a " +
    "screen. svc whoami shows the token that is in use; svc login gets one for this machine, and svc logout --revoke revokes it.";
  static override examples = [example("Open it")];

  async run() {
    const { flags } = await this.parse(Tokens);
    return await this.showInDashboard(flags.api, "/tokens");
  }
}
