import * as Flags from "@oclif/core/flags";
import { maskToken } from "../../../contract/token-format.ts";
import { showApi } from "../api-address.ts";
import { SvcCommand } from "../command.ts";
import {
  forgetTokens,
  readCredentials,
  removeCredentials,
  requireCredentialPath,
  type SavedCredential,
} from "../credential-file.ts";
import { UserError } from "../errors.ts";

/** A saved token after an attempt to end it. */
interface Ended extends SavedCredential {
  /** Refused: the API had ended it before. */
  readonly outcome: "revoked" | "refused";
}

interface NotEnded extends SavedCredential {
  readonly error: UserError;
}

export class Logout extends SvcCommand {
  static override summary = "Remove the saved tokens from this machine.";
  static override description =
    "Removes the credential file and nothing else: the token goes on working wherever it is known until it is revoked " +
    "on the server, and an exported SVC_TOKEN stays set. With --revoke each saved token is ended on its server first, and " +
    "removed only when it is.";
  static override examples = [
    { description: "Forget the saved tokens", command: "<%= config.bin %> <%= command.id %>" },
    { description: "End them on the server too", command: "<%= config.bin %> <%= command.id %> --revoke" },
  ];
  static override flags = {
    revoke: Flags.boolean({ summary: "Revoke the saved tokens on their servers, then remove them." }),
  };

  async run() {
    const { flags } = await this.parse(Logout);
    const path = requireCredentialPath();
    const result = flags.revoke ? await this.#revoke(path) : this.#forget(path);
    const isTokenSet = Boolean(process.env["SVC_TOKEN"]?.trim());
    if (isTokenSet) this.note("SVC_TOKEN is still set, and svc goes on using it. To clear it: unset SVC_TOKEN");
    return {
      removed: result.removed,
      path,
      revoked: result.revoked,
      svc_token_still_set: isTokenSet,
      ...result.tokens,
    };
  }

  #forget(path: string) {
    const saved = this.#saved(path);
    const removed = removeCredentials(path);
    this.say(removed ? `Removed ${path}.` : `There is no saved token (${path} does not exist).`);
    for (const { api, token } of saved)
      this.say(
        `${maskToken(token)} still works: revoke it in the dashboard of ${showApi(api)}, or with DELETE /tokens/:id and your ID token.`,
      );
    if (removed && saved.length === 0)
      this.say("Removing the file revokes nothing: revoke the token in the dashboard, or with DELETE /tokens/:id.");
    return { removed, revoked: false, tokens: { still_valid: saved.map(shown) } };
  }

  /** Ends each saved token at the API that it was saved for; those that could not be ended stay saved. */
  async #revoke(path: string) {
    const saved = readCredentials(path, this.note);
    const attempts = await Promise.all(saved.map((credential) => this.#end(credential)));
    const ended = attempts.filter((attempt): attempt is Ended => "outcome" in attempt);
    const failed = attempts.filter((attempt): attempt is NotEnded => "error" in attempt);
    if (ended.length > 0) forgetTokens(path, new Set(ended.map(({ token }) => token)));
    for (const { api, token, outcome } of ended)
      this.say(
        outcome === "revoked"
          ? `Revoked ${maskToken(token)} at ${showApi(api)}, and removed it from ${path}.`
          : `${showApi(api)} had ended ${maskToken(token)} before; removed it from ${path}.`,
      );
    if (failed.length > 0) throw notRevoked(failed);
    if (saved.length === 0) this.say(`There is no saved token to revoke (${path}).`);
    return { removed: ended.length > 0, revoked: ended.length > 0, tokens: { ended: ended.map(shown) } };
  }

  async #end(credential: SavedCredential): Promise<Ended | NotEnded> {
    const client = await this.clientFor(credential.api, credential);
    try {
      await client.call("revokeCurrentToken");
      return { ...credential, outcome: "revoked" };
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      return isRefusal(error) ? { ...credential, outcome: "refused" } : { ...credential, error };
    }
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

/** Whether the API itself says that nobody can use the token any more; a 401 of something in between does not count. */
function isRefusal({ status, code }: UserError): boolean {
  return status === 401 && ["token_revoked", "token_expired", "token_invalid"].includes(code);
}

function notRevoked(failed: readonly NotEnded[]): UserError {
  const tokens = failed.map(({ token }) => maskToken(token)).join(", ");
  const isOne = failed.length === 1;
  return new UserError(`${tokens} could not be revoked and ${isOne ? "stays" : "stay"} saved.`, {
    code: "token_not_revoked",
    ...(failed[0] && { exitCode: failed[0].error.exitCode }),
    places: failed.map(({ api, error }) => `${showApi(api)}: ${error.message}`),
    next: "Try again, or revoke it in the dashboard and then: svc logout",
  });
}

function shown({ api, token }: SavedCredential) {
  return { api: showApi(api), hint: token.slice(-4) };
}
