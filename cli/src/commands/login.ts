import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { maskToken } from "../../../contract/token-format.ts";
import { showApi } from "../api-address.ts";
import { ApiCommand } from "../command.ts";
import { checkToken, chooseApi } from "../credential.ts";
import { readCredentials, requireCredentialPath, saveCredential } from "../credential-file.ts";
import { UserError, usageError } from "../errors.ts";
import { printable } from "../text.ts";

export class Login extends ApiCommand {
  static override summary = "Log in in the browser, or with a token.";
  static override description =
    "Opens the dashboard to approve this machine, which gets a token of its own. With --device another machine's browser " +
    "approves. With --token - the token is read from standard input, and from a hidden prompt where the API has no " +
    "dashboard. It is kept, for this API alone, " +
    "in $XDG_CONFIG_HOME/svc/credentials (~/.config/svc/credentials) with mode 0600, as plain text. " +
    "A refused token saves nothing and leaves an earlier one as it was. SVC_TOKEN, where it is set, wins over the saved token.";
  static override examples = [
    { description: "Approve this machine in the browser", command: "<%= config.bin %> <%= command.id %>" },
    { description: "On a machine without a browser", command: "<%= config.bin %> <%= command.id %> --device" },
    {
      description: "Take it from a password manager",
      command: "$ pass show svc/token | <%= config.bin %> <%= command.id %> --token -",
    },
    {
      description: "Log in to another API",
      command: "<%= config.bin %> <%= command.id %> --api https://staging.svc.example",
    },
  ];
  static override args = {
    value: Args.string({ hidden: true, ignoreStdin: true }),
  };
  static override flags = {
    token: Flags.string({
      summary: "Where to read the token: - is standard input. No other value is taken.",
      helpValue: "-",
    }),
    device: Flags.boolean({
      summary: "Show a code to approve in a browser elsewhere: for SSH and containers.",
      exclusive: ["token"],
    }),
    "no-verify": Flags.boolean({
      summary:
        "Do not ask the API about the token. Skips this check alone: it makes no token valid and permits nothing.",
    }),
  };

  async run() {
    const { args, flags } = await this.parse(Login);
    if (args.value !== undefined || (flags.token ?? "-") !== "-") throw tokenAsArgument();
    const path = requireCredentialPath();
    const { api } = chooseApi(flags.api, process.env, () => this.#saved(path));
    const token = await this.#obtain(api, flags);
    checkToken(token, process.stdin.isTTY ? "that was typed" : "from standard input");

    const account = flags["no-verify"] ? undefined : await this.#verify(api, token);
    saveCredential(path, { api, token }, this.note);

    if (account === undefined)
      this.say(
        `Saved ${maskToken(token)} for ${showApi(api)} in ${path} without asking the API: ` +
          "whether the token is valid, and what it may do, is not known.",
      );
    else
      this.say(
        `Logged in to ${showApi(api)} as ${printable(account.user.name)} (${printable(account.user.uid)}). ` +
          `${maskToken(token)} is saved in ${path}.`,
      );
    const isOverridden = Boolean(process.env["SVC_TOKEN"]?.trim());
    if (isOverridden) this.note("SVC_TOKEN is set and wins over the saved token until you unset it.");
    return {
      api: showApi(api),
      path,
      verified: account !== undefined,
      overridden_by_svc_token: isOverridden,
      ...(account !== undefined && { user: account.user, auth: account.auth }),
    };
  }

  /**
   * Gets a token in the browser, or by a code with `--device`, where the API has a dashboard to approve it on; otherwise,
   * and with `--token -`, reads the one that the person has.
   */
  async #obtain(api: URL, flags: { token?: string | undefined; device: boolean; "no-verify": boolean }) {
    const { readToken } = await import("../token-input.ts");
    const label = showApi(api);
    const isRead = flags.token === "-" || flags["no-verify"] || !process.stdin.isTTY;
    if (isRead && !flags.device) return await readToken({ isPiped: flags.token === "-", label });
    const { findAuthorizationServer } = await import("../sign-in/authorization-server.ts");
    const server = await findAuthorizationServer(api);
    if (server === undefined && flags.device) throw noDashboard(label);
    if (server === undefined) return await readToken({ isPiped: false, label });
    const tell = (line: string) => void process.stderr.write(`${line}\n`);
    const { unlessInterrupted } = await import("../sign-in/interruption.ts");
    if (flags.device)
      return await unlessInterrupted((await import("../sign-in/device.ts")).logInWithDevice(server, tell));
    return await unlessInterrupted((await import("../sign-in/browser.ts")).logInWithBrowser(server, tell));
  }

  /** Only for its addresses: a damaged file must not keep anybody from logging in, which repairs it. */
  #saved(path: string) {
    try {
      return readCredentials(path, this.note);
    } catch (error) {
      if (error instanceof UserError && error.code === "credential_file_damaged") return [];
      throw error;
    }
  }

  async #verify(api: URL, token: string) {
    const client = await this.clientFor(api, { token });
    return client.call("getMe");
  }
}

function noDashboard(api: string): UserError {
  return new UserError(`${api} has no dashboard to approve a login on.`, {
    code: "no_dashboard",
    next: "Log in with a token: svc login --token -",
  });
}

/** A token on the command line stays in the shell's history and is in everybody's process list. */
function tokenAsArgument(): UserError {
  return usageError("A token is not taken from the command line: the shell's history and the process list keep it.", {
    code: "token_as_argument",
    next: "Type it at the prompt of svc login, or send it to svc login --token -. If it was a real one, revoke it.",
  });
}
