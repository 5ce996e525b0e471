import { maskToken } from "../../../contract/token-format.ts";
import { showApi } from "../api-address.ts";
import { SvcCommand } from "../command.ts";
import { readCredentials, removeCredentials, requireCredentialPath, type SavedCredential } from "../credential-file.ts";
import { UserError } from "../errors.ts";

export class Logout extends SvcCommand {
  static override summary = "Remove the saved tokens from this machine.";
  static override description =
    "Removes the credential file and nothing else: the token goes on working wherever it is known until it is revoked " +
    "on the server, and an exported SVC_TOKEN stays set.";
  static override examples = [
    { description: "Forget the saved tokens", command: "<%= config.bin %> <%= command.id %>" },
  ];

  async run() {
    await this.parse(Logout);
    const path = requireCredentialPath();
    const saved = this.#saved(path);
    const isRemoved = removeCredentials(path);
    this.say(isRemoved ? `Removed ${path}.` : `There is no saved token (${path} does not exist).`);
    for (const { api, token } of saved)
      this.say(
        `${maskToken(token)} still works: revoke it in the dashboard of ${showApi(api)}, or with DELETE /tokens/:id and your ID token.`,
      );
    if (isRemoved && saved.length === 0)
      this.say("Removing the file revokes nothing: revoke the token in the dashboard, or with DELETE /tokens/:id.");
    const isTokenSet = Boolean(process.env["SVC_TOKEN"]?.trim());
    if (isTokenSet) this.note("SVC_TOKEN is still set, and svc goes on using it. To clear it: unset SVC_TOKEN");
    return {
      removed: isRemoved,
      path,
      revoked: false,
      svc_token_still_set: isTokenSet,
      still_valid: saved.map(({ api, token }) => ({ api: showApi(api), hint: token.slice(-4) })),
    };
  }

  /** Only to say which tokens live on; a file that cannot be read is removed all the same. */
  #saved(path: string): SavedCredential[] {
    try {
      return readCredentials(path, () => {});
    } catch (error) {
      if (error instanceof UserError) return [];
      throw error;
    }
  }
}
