import { durationUntil } from "../../../contract/api/time/durations.ts";
import { serverNow } from "../../../contract/api/time/server-time.ts";
import { maskToken } from "../../../contract/api/tokens/token-format.ts";
import { formatApiUrl } from "../api-url.ts";
import { ApiCommand, example } from "../command.ts";
import { credentialPath, readCredentials } from "../credential-file.ts";
import { count, grouped, humanBytes, minute, printable, table } from "../text.ts";

export class Whoami extends ApiCommand {
  static override summary = "Show whose token is in use, and when it expires.";
  static override description =
    "Asks the API with the token that every command uses: SVC_TOKEN, else the saved one. Lists the other accounts that are logged in there. " +
    "Exits with 4 if there is no token, or if it is expired or revoked.";
  static override examples = [
    example("Who am I?"),
    {
      description: "Check in CI that the secret still works",
      command: '$ SVC_TOKEN="$SECRET" <%= config.bin %> <%= command.id %> --json',
    },
  ];

  async run() {
    const { flags } = await this.parse(Whoami);
    const { target, credential, client } = await this.connect(flags.api);
    const { user, developer, auth, suspension, storage } = await client.call("GET /me");
    const days = auth.kind === "token" ? (Date.parse(auth.expires_at) - serverNow()) / 86_400_000 : undefined;

    const { bold, dim } = this.style;
    const role = user.role === "dev" ? "developer" : "user";
    this.say(`${bold(printable(user.name))} (${printable(user.uid)}), ${role}`);
    const rows: [string, string][] = [
      ["api", `${formatApiUrl(target.api)} (from ${apiSources[target.apiSource]})`],
      ["token", `${maskToken(credential.token)} from ${credential.path ?? credential.source}`],
    ];
    if (auth.kind === "token") {
      rows.push(
        ["name", printable(auth.name)],
        ["scopes", printable(auth.scopes.join(", "))],
        ["projects", auth.projects === null ? "all" : printable(auth.projects.join(", "))],
        ["expires", `${minute(auth.expires_at)} UTC (${durationUntil(auth.expires_at, serverNow())} left)`],
      );
    }
    rows.push([
      "stored",
      `${humanBytes(storage.bytes)} of ${humanBytes(storage.limit.bytes)}, ${grouped(storage.objects)} of ${count(storage.limit.objects, "object")}`,
    ]);
    if (suspension) rows.push(["suspended", `since ${minute(suspension.at)} UTC (${printable(suspension.reason)})`]);
    const accounts = this.#accounts(target.api);
    const others = accounts.filter(({ uid }) => uid !== user.uid);
    for (const { uid, name } of others)
      rows.push(["also", `${printable(name)} (${printable(uid)}): --account ${printable(uid)}`]);
    this.say(table(rows, dim));

    return {
      user,
      developer,
      auth,
      suspension,
      storage,
      ...(days !== undefined && { expires_in_days: Math.max(0, Math.round(days)) }),
      accounts,
      api: formatApiUrl(target.api),
      credential: { source: credential.source, ...(credential.path !== undefined && { path: credential.path }) },
    };
  }

  /** The accounts that are logged in to an API on this machine, the latest first. */
  #accounts(api: URL) {
    const path = credentialPath();
    const saved = path === undefined ? [] : readCredentials(path, () => {});
    return saved.flatMap((each) => (each.api.origin === api.origin && each.account ? [each.account] : []));
  }
}

const apiSources = {
  "--api": "--api",
  SVC_API: "SVC_API",
  login: "the last login",
  default: "the built-in default",
};
