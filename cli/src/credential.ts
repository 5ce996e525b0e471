import { isWellFormedToken } from "../../contract/api/tokens/token-format.ts";
import { builtInApi, formatApiUrl, parseApiUrl } from "./api-url.ts";
import { credentialPath, noSuchAccount, ofAccount, readCredentials, type SavedCredential } from "./credential-file.ts";
import { exitCodes, UserError, usageError } from "./errors.ts";

/** The API that a command uses, and the token. */
export interface Target {
  readonly api: URL;
  /** The source from which the API was chosen. */
  readonly apiSource: "--api" | "SVC_API" | "login" | "default";
  readonly credential: Credential | undefined;
}

export interface Credential {
  readonly token: string;
  /** Source of the token. */
  readonly source: "SVC_TOKEN" | "file";
  readonly path?: string;
}

/**
 * Chooses the API: `--api`, else SVC_API, else the one of the last login, else the built-in one. An empty variable counts
 * as unset.
 *
 * @throws UserError (exit code 2) if there is none
 */
export function chooseApi(flag: string | undefined, environment: NodeJS.ProcessEnv, saved: () => SavedCredential[]) {
  const named = explicitApi(flag, environment);
  if (named !== undefined) return named;
  const latest = saved()[0];
  return latest === undefined ? builtIn() : ({ api: latest.api, apiSource: "login" } as const);
}

function explicitApi(flag: string | undefined, environment: NodeJS.ProcessEnv) {
  if (flag !== undefined) return { api: parseApiUrl(flag, "--api"), apiSource: "--api" } as const;
  const variable = environment["SVC_API"]?.trim();
  return variable ? ({ api: parseApiUrl(variable, "SVC_API"), apiSource: "SVC_API" } as const) : undefined;
}

const localApi = "http://127.0.0.1:8787";

function builtIn() {
  if (builtInApi !== "") return { api: parseApiUrl(builtInApi, "svc"), apiSource: "default" } as const;
  throw usageError("No API is chosen, and this svc has no built-in one.", {
    code: "api_not_chosen",
    next: `For the service that npm start runs here: svc login --api ${localApi}. For another one: --api URL, or SVC_API.`,
  });
}

/**
 * Chooses API and token: SVC_TOKEN, else the saved token for the origin of that API, of the account or of the latest login there.
 *
 * @param account `--account`
 * @throws UserError (exit code 4) for an SVC_TOKEN that is not a well-formed token, without a request; (exit code 2) if no
 *   API is chosen, or there is no such account
 */
export function chooseTarget(
  flag: string | undefined,
  environment: NodeJS.ProcessEnv,
  warn: (text: string) => void,
  account?: string,
): Target {
  const path = credentialPath(environment);
  let entries: SavedCredential[] | undefined;
  const saved = () => {
    entries ??= path === undefined ? [] : readCredentials(path, warn);
    if (account === undefined) return entries;
    const matches = ofAccount(entries, account);
    if (matches.length === 0) throw noSuchAccount(entries, account);
    return matches;
  };
  const variable = environment["SVC_TOKEN"]?.trim();
  if (variable && account !== undefined)
    throw usageError("SVC_TOKEN is set, and --account names a saved token.", {
      code: "two_tokens",
      next: "Unset SVC_TOKEN, or leave --account out.",
    });
  const chosen = chooseApi(flag, environment, saved);
  if (variable) {
    checkToken(variable, "in SVC_TOKEN");
    return { ...chosen, credential: { token: variable, source: "SVC_TOKEN" } };
  }
  const entry = saved().find(({ api }) => api.origin === chosen.api.origin);
  if (entry === undefined || path === undefined) return { ...chosen, credential: undefined };
  return { ...chosen, credential: { token: entry.token, source: "file", path } };
}

/**
 * The credential of a target.
 *
 * @throws UserError (exit code 4) if there is none
 */
export function requireCredential(target: Target, environment: NodeJS.ProcessEnv): Credential {
  if (target.credential !== undefined) return target.credential;
  const isEmpty = environment["SVC_TOKEN"]?.trim() === "";
  throw new UserError(
    isEmpty
      ? `SVC_TOKEN is set but empty, and no token is saved for ${formatApiUrl(target.api)}.`
      : `You are not logged in to ${formatApiUrl(target.api)}.`,
    {
      code: "not_logged_in",
      exitCode: exitCodes.denied,
      next: isEmpty
        ? "In CI an empty variable usually means that the secret does not exist or is not passed to this step."
        : (nextInJob(environment) ??
          `svc login${target.apiSource === "--api" ? ` --api ${formatApiUrl(target.api)}` : ""}, or set SVC_TOKEN.`),
    },
  );
}

const ofIdentity =
  "svc publish, live, previews and releases take the job's identity; another command needs a token in SVC_TOKEN.";

/** Advice for a CI job, where nobody can log in. */
function nextInJob({ GITHUB_ACTIONS, GITLAB_CI }: NodeJS.ProcessEnv): string | undefined {
  if (GITHUB_ACTIONS === "true")
    return `Give the job the permission id-token: write, which a fork's pull request never gets. ${ofIdentity}`;
  if (GITLAB_CI === "true") return `Name SVC_ID_TOKEN in the id_tokens of the job. ${ofIdentity}`;
  return undefined;
}

const slips: readonly [RegExp, why: string, next: string][] = [
  [
    /^["'`].*["'`]$/,
    "is in quotation marks, which belong to the shell or the file that it comes from",
    "Leave them out.",
  ],
  [/^bearer /i, "begins with Bearer, which belongs to a header", "Give the token alone: it begins with pat_."],
  [/^\*+$/, "is only stars: a log or a settings page hides it so", "Copy the token itself, or create a new one."],
  [
    /^\$/,
    "is the name of a variable or a secret, which nothing has replaced by its value",
    "Check the syntax of the file that it comes from.",
  ],
];

/**
 * Refuses, without a request, what is not a well-formed token.
 *
 * @param where it was found, for the error, which never shows the value
 */
export function checkToken(token: string, where: string): void {
  if (isWellFormedToken(token)) return;
  const slip = slips.find(([pattern]) => pattern.test(token));
  if (slip !== undefined)
    throw new UserError(`The token ${where} ${slip[1]}.`, {
      code: "token_malformed",
      exitCode: exitCodes.denied,
      next: slip[2],
    });
  const why = token.startsWith("pat_")
    ? "is not a complete personal access token: its length or checksum is wrong"
    : "is not a personal access token: it does not begin with pat_";
  throw new UserError(`The token ${where} ${why}.`, {
    code: "token_malformed",
    exitCode: exitCodes.denied,
    next: "Copy the whole token again, or create a new one.",
  });
}
