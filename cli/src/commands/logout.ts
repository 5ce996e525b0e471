import * as Flags from "@oclif/core/flags";
import { maskToken } from "../../../contract/api/token-format.ts";
import { formatApiUrl } from "../api-url.ts";
import { example, SvcCommand } from "../command.ts";
import {
  readCredentials,
  removeCredentials,
  removeTokens,
  requireCredentialPath,
  type SavedCredential,
} from "../credential-file.ts";
import { UserError } from "../errors.ts";
import { isRefusal } from "../http/problem.ts";

/** A saved token that nobody can use any more. */
interface RemovedCredential extends SavedCredential {
  /** Refused: it was revoked, expired or unknown before. */
  readonly outcome: "revoked" | "refused";
}

interface FailedRevocation extends SavedCredential {
  readonly error: UserError;
}

export class Logout extends SvcCommand {
  static override summary = "Remove the saved tokens from this machine.";
  static override description =
    "Removes the credential file and nothing else: the token still works until it is revoked on the server, and an exported " +
    "SVC_TOKEN stays set. With --revoke each saved token is first revoked on its server, and removed only if that succeeds.";
  static override examples = [example("Remove the saved tokens"), example("Revoke them on the server too", "--revoke")];
  static override flags = {
    revoke: Flags.boolean({ summary: "Revoke the saved tokens on their servers, then remove them." }),
  };

  async run() {
    const { flags } = await this.parse(Logout);
    const path = requireCredentialPath();
    const result = flags.revoke ? await this.#revokeAll(path) : this.#remove(path);
    const isTokenSet = Boolean(process.env["SVC_TOKEN"]?.trim());
    if (isTokenSet) this.note("SVC_TOKEN is still set, and svc still uses it. To clear it: unset SVC_TOKEN");
    return {
      removed: result.removed,
      path,
      revoked: result.revoked,
      svc_token_still_set: isTokenSet,
      ...result.tokens,
    };
  }

  #remove(path: string) {
    const saved = this.#saved(path);
    const removed = removeCredentials(path);
    this.say(removed ? `Removed ${path}.` : `There is no saved token (${path} does not exist).`);
    for (const { api, token } of saved)
      this.say(
        `${maskToken(token)} still works: revoke it in the dashboard of ${formatApiUrl(api)}. Next time, svc logout --revoke does both.`,
      );
    if (removed && saved.length === 0)
      this.say(
        "Removing the file revokes nothing: revoke the token in the dashboard. Next time, svc logout --revoke does both.",
      );
    return { removed, revoked: false, tokens: { still_valid: saved.map(hintOf) } };
  }

  /** Revokes each saved token at the API that it was saved for. Tokens that could not be revoked stay saved. */
  async #revokeAll(path: string) {
    const saved = readCredentials(path, this.note);
    const attempts = await Promise.all(saved.map((credential) => this.#revoke(credential)));
    const removed = attempts.filter((attempt): attempt is RemovedCredential => "outcome" in attempt);
    const failed = attempts.filter((attempt): attempt is FailedRevocation => "error" in attempt);
    if (removed.length > 0) removeTokens(path, new Set(removed.map(({ token }) => token)));
    for (const { api, token, outcome } of removed)
      this.say(
        outcome === "revoked"
          ? `Revoked ${maskToken(token)} at ${formatApiUrl(api)}, and removed it from ${path}.`
          : `${formatApiUrl(api)} refused ${maskToken(token)} already, so it was removed from ${path}.`,
      );
    if (failed.length > 0) throw notRevoked(failed);
    if (saved.length === 0) this.say(`There is no saved token to revoke (${path}).`);
    return {
      removed: removed.length > 0,
      revoked: removed.length > 0,
      tokens: { removed_tokens: removed.map(hintOf) },
    };
  }

  async #revoke(credential: SavedCredential): Promise<RemovedCredential | FailedRevocation> {
    const client = await this.clientFor(credential.api, credential);
    try {
      await client.call("revokeCurrentToken");
      return { ...credential, outcome: "revoked" };
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      return isRefusal(error) ? { ...credential, outcome: "refused" } : { ...credential, error };
    }
  }

  /** The saved tokens, to name them. None if the file cannot be read: it is removed anyway. */
  #saved(path: string): SavedCredential[] {
    try {
      return readCredentials(path, () => {});
    } catch (error) {
      if (error instanceof UserError) return [];
      throw error;
    }
  }
}

function notRevoked(failed: readonly FailedRevocation[]): UserError {
  const tokens = failed.map(({ token }) => maskToken(token)).join(", ");
  const isOne = failed.length === 1;
  return new UserError(`${tokens} could not be revoked and ${isOne ? "stays" : "stay"} saved.`, {
    code: "token_not_revoked",
    ...(failed[0] && { exitCode: failed[0].error.exitCode }),
    places: failed.map(({ api, error }) => `${formatApiUrl(api)}: ${error.message}`),
    next: "Try again, or revoke it in the dashboard and then: svc logout",
  });
}

function hintOf({ api, token }: SavedCredential) {
  return { api: formatApiUrl(api), hint: token.slice(-4) };
}
