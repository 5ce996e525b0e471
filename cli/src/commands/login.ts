import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { maskToken } from "../../../contract/api/tokens/token-format.ts";
import { formatApiUrl } from "../api-url.ts";
import { ApiCommand, example } from "../command.ts";
import { checkToken, chooseApi } from "../credential.ts";
import {
  accountInWords,
  readCredentials,
  requireCredentialPath,
  type SavedCredential,
  saveCredential,
} from "../credential-file.ts";
import { exitCodes, UserError, usageError } from "../errors.ts";
import type { AuthorizationServer } from "../sign-in/authorization-server.ts";
import type { Account, ReplacedLogin } from "../sign-in/replaced-login.ts";
import { printable, wrapped } from "../text.ts";

interface EarlierLogins {
  /** Whether the account was logged in here before. */
  readonly isKnown: boolean;
  /** Its logins before that have another token, which still works. */
  readonly replaced: readonly ReplacedLogin[];
  readonly others: readonly Account[];
  readonly identified: readonly SavedCredential[];
}

/** The login itself says which account it is. */
const { account: _, ...withoutAccount } = ApiCommand.baseFlags;

export class Login extends ApiCommand {
  static override summary = "Log in in the browser, or with a token.";
  static override description =
    "Opens the dashboard, where you approve this machine, for how long and for which projects: the one of svc.toml, if there is one, is chosen. " +
    "The machine gets its own token. With --device you approve in a browser on " +
    "another machine. With --token - the token is read from standard input. If the API has no dashboard, a hidden " +
    "prompt asks for the token. The token is saved for this API only, " +
    "in $XDG_CONFIG_HOME/svc/credentials (~/.config/svc/credentials) with mode 0600, as plain text. " +
    "If the API refuses the token, nothing is saved and an earlier token stays. SVC_TOKEN, if it is set, is used instead of the saved token.";
  static override examples = [
    example("Approve this machine in the browser"),
    example("On a machine without a browser", "--device"),
    {
      description: "Read the token from a password manager",
      command: "$ pass show svc/token | <%= config.bin %> <%= command.id %> --token -",
    },
    example("Log in to another API", "--api https://staging.svc.example"),
  ];
  static override baseFlags = withoutAccount as typeof ApiCommand.baseFlags;
  static override args = {
    value: Args.string({ hidden: true, ignoreStdin: true }),
  };
  static override flags = {
    token: Flags.string({
      summary: "Read the token from standard input: - is the only value.",
      helpValue: "-",
    }),
    device: Flags.boolean({
      summary: "Show a code to type in a browser on another machine: for SSH and containers.",
      exclusive: ["token"],
    }),
    "no-verify": Flags.boolean({
      summary:
        "Save the token without checking it with the API. This does not make a token valid, and permits nothing.",
    }),
  };

  #server: Promise<AuthorizationServer | undefined> | undefined;

  async run() {
    const { args, flags } = await this.parse(Login);
    if (args.value !== undefined || (flags.token ?? "-") !== "-") throw tokenAsArgument();
    const path = requireCredentialPath();
    const { api } = chooseApi(flags.api, process.env, () => this.#saved(path));
    const token = await this.#obtain(api, flags);
    checkToken(token, process.stdin.isTTY ? "that was typed" : "from standard input");

    const account = flags["no-verify"] ? undefined : await this.#verify(api, token);
    const { isKnown, replaced, others, identified } = await this.#earlier(path, { api, token, account: account?.user });
    if (account && others[0] && !isKnown) await this.#confirmOther(account.user, others[0], { api, token });
    saveCredential(path, { api, token, account: account?.user }, this.note, identified);

    if (account === undefined)
      this.say(
        `Saved ${maskToken(token)} for ${formatApiUrl(api)} in ${path} without asking the API: ` +
          "svc does not know whether the token is valid, or what it may do.",
      );
    else
      this.say(
        `Logged in to ${formatApiUrl(api)} as ${printable(account.user.name)} (${printable(account.user.uid)}). ` +
          `${maskToken(token)} is saved in ${path}.`,
      );
    if (account && others[0])
      this.say(
        `${others.map(accountInWords).join(" and ")} ${others.length === 1 ? "stays" : "stay"} logged in there: ` +
          "--account NAME chooses, without it the latest login.",
      );
    for (const each of replaced) await this.#endReplaced(each);
    const isOverridden = Boolean(process.env["SVC_TOKEN"]?.trim());
    if (isOverridden) this.note("SVC_TOKEN is set: svc uses it instead of the saved token until you unset it.");
    return {
      api: formatApiUrl(api),
      path,
      verified: account !== undefined,
      overridden_by_svc_token: isOverridden,
      ...(account !== undefined && { user: account.user, auth: account.auth }),
    };
  }

  /**
   * Gets a new token through the browser, or with `--device` through a code. Reads an existing token with `--token -`,
   * and if the API has no dashboard.
   */
  async #obtain(api: URL, flags: { token?: string | undefined; device: boolean; "no-verify": boolean }) {
    const { readToken } = await import("../token-input.ts");
    const label = formatApiUrl(api);
    const isRead = flags.token === "-" || flags["no-verify"] || !process.stdin.isTTY;
    const read = async () => await readToken({ isPiped: flags.token === "-", label });
    // A token in a pipe is checked by its form before anything is sent.
    if ((flags["no-verify"] || !process.stdin.isTTY) && !flags.device) return await read();
    const server = await this.#serverOf(api);
    if (isRead && !flags.device) return await read();
    if (server === undefined && flags.device) throw noDashboard(label);
    if (server === undefined) return await read();
    const show = (line: string) => void process.stderr.write(`${wrapped(line, process.stderr.columns)}\n`);
    const project = await projectHere();
    const { unlessInterrupted } = await import("../sign-in/interruption.ts");
    if (flags.device)
      return await unlessInterrupted((await import("../sign-in/device.ts")).logInWithDevice(server, project, show));
    return await unlessInterrupted((await import("../sign-in/browser.ts")).logInWithBrowser(server, project, show));
  }

  /** The saved credentials, for their API URLs. None if the file is damaged: this login replaces it. */
  #saved(path: string) {
    try {
      return readCredentials(path, this.note);
    } catch (error) {
      if (error instanceof UserError && error.code === "credential_file_damaged") return [];
      throw error;
    }
  }

  /**
   * The earlier logins at this API: the one of the same account, which this one replaces, and the other accounts, the latest first. The API
   * is asked for what the file does not say: whether a replaced token still works, and whose an `identified` one is.
   */
  async #earlier(path: string, { api, token, account }: SavedCredential): Promise<EarlierLogins> {
    const saved = this.#saved(path).filter((other) => other.api.origin === api.origin);
    const { replacedLogin } = await import("../sign-in/replaced-login.ts");
    let isKnown = false;
    const replaced: ReplacedLogin[] = [];
    const others: Account[] = [];
    const identified: SavedCredential[] = [];
    for (const other of account === undefined ? [] : saved) {
      const isSame = other.token === token || other.account?.uid === account?.uid;
      if (other.account && !isSame) {
        others.push(other.account);
        continue;
      }
      const oldLogin =
        other.token === token
          ? undefined
          : await replacedLogin(await this.clientFor(other.api, { token: other.token }), other.token);
      if (isSame || oldLogin?.user.uid === account?.uid) {
        isKnown = true;
        if (oldLogin) replaced.push(oldLogin);
      } else if (oldLogin) {
        others.push(oldLogin.user);
        identified.push({ ...other, account: oldLogin.user });
      }
    }
    return { isKnown, replaced, others, identified };
  }

  /**
   * Says as whom the login is, if it was another account before: somebody else may have approved it.
   *
   * @throws UserError if the person does not want it; then the new token is revoked, and nothing is saved
   */
  async #confirmOther(account: Account, before: Account, { api, token }: SavedCredential): Promise<void> {
    const { revokeItself } = await import("../sign-in/replaced-login.ts");
    const sentence = `This login is as ${accountInWords(account)}; before, it was as ${accountInWords(before)}.`;
    if (!this.canAsk()) return this.note(sentence);
    const { confirm } = await import("../question.ts");
    if (await confirm(`${sentence} Save it?`)) return;
    await revokeItself(await this.clientFor(api, { token }));
    throw new UserError("The login was not saved, and its token was revoked.", {
      code: "login_refused",
      exitCode: exitCodes.denied,
      next: "svc login",
    });
  }

  /** Offers to revoke the token that nothing on this machine uses any more. */
  async #endReplaced({ client, hint }: ReplacedLogin): Promise<void> {
    const sentence = `${hint}, which this login replaces, still works.`;
    if (!this.canAsk()) return this.note(`${sentence} If no other machine uses it, revoke it in the dashboard.`);
    const [{ confirm }, { revokeItself }] = await Promise.all([
      import("../question.ts"),
      import("../sign-in/replaced-login.ts"),
    ]);
    if (!(await confirm(`${sentence} Revoke it?`))) return;
    const problem = await revokeItself(client);
    if (problem) this.note(`${hint} could not be revoked: ${problem.message}`);
    else this.say(`Revoked ${hint}.`);
  }

  /** How to log in to the API, found before a token is asked for or sent: its URL may be of another server. */
  async #serverOf(api: URL) {
    const { findAuthorizationServer } = await import("../sign-in/authorization-server.ts");
    this.#server ??= findAuthorizationServer(api);
    return await this.#server;
  }

  async #verify(api: URL, token: string) {
    await this.#serverOf(api);
    const client = await this.clientFor(api, { token });
    return client.call("GET /me");
  }
}

/** The project of svc.toml, which the login proposes. A svc.toml that cannot be read is for the command that needs it. */
async function projectHere(): Promise<string | undefined> {
  const [{ findProjectFile }, { slugPattern }] = await Promise.all([
    import("../project-file.ts"),
    import("../../../contract/api/projects/slug.ts"),
  ]);
  try {
    const { project = "" } = findProjectFile(process.cwd())?.content ?? {};
    return slugPattern.test(project) ? project : undefined;
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

function noDashboard(api: string): UserError {
  return new UserError(`${api} has no dashboard where you could approve a login.`, {
    code: "no_dashboard",
    next: "Log in with a token: svc login --token -",
  });
}

/** A token on the command line stays in the shell's history, and every user sees it in the process list. */
function tokenAsArgument(): UserError {
  return usageError("svc takes no token as an argument: the shell's history and the process list show it.", {
    code: "token_as_argument",
    next: "svc login --token - reads it from standard input, or asks for it. If this was a real token, revoke it.",
  });
}
