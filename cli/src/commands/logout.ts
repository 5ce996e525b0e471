import * as Flags from "@oclif/core/flags";
import { maskToken, tokenHint } from "../../../contract/api/tokens/token-format.ts";
import { formatApiUrl, parseApiUrl } from "../api-url.ts";
import { example, SvcCommand } from "../command.ts";
import {
  accountInWords,
  noSuchAccount,
  ofAccount,
  readCredentials,
  removeCredentials,
  removeTokens,
  requireCredentialPath,
  type SavedCredential,
} from "../credential-file.ts";
import { UserError } from "../errors.ts";
import { asUserError, isRefusedToken } from "../http/problem.ts";

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
    "SVC_TOKEN stays set. --account and --api remove only some of the tokens. With --revoke each saved token is first revoked on its server, and removed only if that succeeds.";
  static override examples = [
    example("Remove the saved tokens"),
    example("Revoke them on the server too", "--revoke"),
    example("Those of one account", "--account grace"),
  ];
  static override flags = {
    revoke: Flags.boolean({ summary: "Revoke the saved tokens on their servers, then remove them." }),
    account: Flags.string({
      summary: "Only the tokens of this account, by user ID or name.",
      helpValue: "NAME",
    }),
    api: Flags.string({ summary: "Only the tokens of this API.", helpValue: "URL" }),
  };

  async run() {
    const { flags } = await this.parse(Logout);
    const path = requireCredentialPath();
    const chosen = flags.account === undefined && flags.api === undefined ? undefined : this.#choose(path, flags);
    const result = flags.revoke ? await this.#revokeAll(path, chosen) : this.#remove(path, chosen);
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

  /** The saved tokens that the flags mean. @throws UserError (exit code 2) if there is none */
  #choose(path: string, { account, api }: { account?: string | undefined; api?: string | undefined }) {
    const all = readCredentials(path, this.note);
    const origin = api === undefined ? undefined : parseApiUrl(api, "--api").origin;
    const there = all.filter((saved) => origin === undefined || saved.api.origin === origin);
    const chosen = account === undefined ? there : ofAccount(there, account);
    if (account !== undefined && chosen.length === 0) throw noSuchAccount(there, account);
    return chosen;
  }

  #remove(path: string, chosen: readonly SavedCredential[] | undefined) {
    const saved = chosen ?? this.#saved(path);
    if (chosen) removeTokens(path, new Set(chosen.map(({ token }) => token)));
    const removed = chosen ? chosen.length > 0 : removeCredentials(path);
    for (const { api, account } of chosen ?? [])
      this.say(`Removed the token of ${accountInWords(account)} at ${formatApiUrl(api)} from ${path}.`);
    if (!chosen || !removed)
      this.say(
        removed
          ? `Removed ${path}.`
          : chosen
            ? `There is no such token in ${path}.`
            : `There is no saved token (${path} does not exist).`,
      );
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
  async #revokeAll(path: string, chosen: readonly SavedCredential[] | undefined) {
    const saved = chosen ?? readCredentials(path, this.note);
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
      await client.call("DELETE /tokens/current", { empty: true });
      return { ...credential, outcome: "revoked" };
    } catch (error) {
      const problem = asUserError(error);
      if (problem === undefined) throw error;
      return isRefusedToken(error) ? { ...credential, outcome: "refused" } : { ...credential, error: problem };
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
  return { api: formatApiUrl(api), hint: tokenHint(token) };
}
