import { isWellFormedToken } from "../../contract/token-format.ts";
import { builtInApi, parseApi, showApi } from "./api-address.ts";
import { credentialPath, readCredentials, type SavedCredential } from "./credential-file.ts";
import { exitCodes, UserError, usageError } from "./errors.ts";

/** Which API a command talks to, and with which token. */
export interface Target {
  readonly api: URL;
  /** Where the address was chosen. */
  readonly apiSource: "--api" | "SVC_API" | "login" | "default";
  readonly credential: Credential | undefined;
}

export interface Credential {
  readonly token: string;
  /** Where the token came from. */
  readonly source: "SVC_TOKEN" | "file";
  readonly path?: string;
}

/**
 * Chooses the API: `--api`, then SVC_API, then the one logged in to last, then the built-in one. An empty variable counts as
 * unset.
 *
 * @throws UserError (exit code 2) where there is none
 */
export function chooseApi(flag: string | undefined, environment: NodeJS.ProcessEnv, saved: () => SavedCredential[]) {
  const named = explicitApi(flag, environment);
  if (named !== undefined) return named;
  const latest = saved()[0];
  return latest === undefined ? builtIn() : ({ api: latest.api, apiSource: "login" } as const);
}

/**
 * Chooses the API for a token in SVC_TOKEN. A variable says nothing about its API, so it goes to none that was only logged
 * in to: where that is another than the built-in one, nobody can tell which is meant.
 */
function chooseApiForVariable(
  flag: string | undefined,
  environment: NodeJS.ProcessEnv,
  saved: () => SavedCredential[],
) {
  const named = explicitApi(flag, environment);
  if (named !== undefined) return named;
  const latest = saved()[0];
  if (latest === undefined || showApi(latest.api) === builtInApi) return builtIn();
  throw apiNotChosen(
    `SVC_TOKEN is set, and nothing says which API it is for; the saved login is for ${showApi(latest.api)}.`,
    `If it is for that API: SVC_API=${showApi(latest.api)}`,
  );
}

function explicitApi(flag: string | undefined, environment: NodeJS.ProcessEnv) {
  if (flag !== undefined) return { api: parseApi(flag, "--api"), apiSource: "--api" } as const;
  const variable = environment["SVC_API"]?.trim();
  return variable ? ({ api: parseApi(variable, "SVC_API"), apiSource: "SVC_API" } as const) : undefined;
}

function builtIn() {
  if (builtInApi !== "") return { api: parseApi(builtInApi, "svc"), apiSource: "default" } as const;
  throw apiNotChosen("No API is chosen, and this svc has none built in.", "Set SVC_API, or add --api URL.");
}

function apiNotChosen(message: string, next: string): UserError {
  return usageError(message, { code: "api_not_chosen", next });
}

/**
 * Chooses API and token. SVC_TOKEN wins over the file. A saved token is chosen only for the origin it was saved for.
 *
 * @throws UserError (exit code 4) for an SVC_TOKEN that cannot be a token, found without a request; (exit code 2) where no API
 *   is chosen
 */
export function chooseTarget(
  flag: string | undefined,
  environment: NodeJS.ProcessEnv,
  warn: (text: string) => void,
): Target {
  const path = credentialPath(environment);
  let entries: SavedCredential[] | undefined;
  const saved = () => {
    entries ??= path === undefined ? [] : readCredentials(path, warn);
    return entries;
  };
  const variable = environment["SVC_TOKEN"]?.trim();
  if (variable) {
    const chosen = chooseApiForVariable(flag, environment, saved);
    checkToken(variable, "in SVC_TOKEN");
    return { ...chosen, credential: { token: variable, source: "SVC_TOKEN" } };
  }
  const chosen = chooseApi(flag, environment, saved);
  const entry = saved().find(({ api }) => api.origin === chosen.api.origin);
  if (entry === undefined || path === undefined) return { ...chosen, credential: undefined };
  return { ...chosen, credential: { token: entry.token, source: "file", path } };
}

/**
 * The token to send.
 *
 * @throws UserError (exit code 4) where there is none for this API
 */
export function requireCredential(target: Target, environment: NodeJS.ProcessEnv): Credential {
  if (target.credential !== undefined) return target.credential;
  const isEmpty = environment["SVC_TOKEN"]?.trim() === "";
  throw new UserError(
    isEmpty
      ? `SVC_TOKEN is set but empty, and no token is saved for ${showApi(target.api)}.`
      : `You are not logged in to ${showApi(target.api)}.`,
    {
      code: "not_logged_in",
      exitCode: exitCodes.denied,
      next: isEmpty
        ? "In CI an empty variable mostly means that the secret does not exist or is not passed to this step."
        : `svc login${target.apiSource === "--api" ? ` --api ${showApi(target.api)}` : ""}, or set SVC_TOKEN.`,
    },
  );
}

/**
 * Refuses, without a request, what cannot be a personal access token.
 *
 * @param where it was found, for the error; the value itself is never shown
 */
export function checkToken(token: string, where: string): void {
  if (isWellFormedToken(token)) return;
  const why = token.startsWith("pat_")
    ? "is not a whole personal access token: its length or checksum does not fit"
    : "is not a personal access token: those begin with pat_";
  throw new UserError(`The token ${where} ${why}.`, {
    code: "token_malformed",
    exitCode: exitCodes.denied,
    next: "Copy it again, whole, or create a new one.",
  });
}
