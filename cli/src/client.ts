import { headers } from "../../contract/api/headers.ts";
import { durationUntil } from "../../contract/api/time/durations.ts";
import { clockError, serverNow } from "../../contract/api/time/server-time.ts";
import { type ApiRequest, Client } from "../../contract/client.ts";
import { formatApiUrl } from "./api-url.ts";
import { exitCodes, UserError, usageError } from "./errors.ts";
import { throwFinal } from "./http/network-error.ts";
import type { ReceivedResponses } from "./http/received-responses.ts";
import { type HttpResponse, send } from "./http/send.ts";
import { packageVersion } from "./package-version.ts";
import { minute } from "./text.ts";

export interface ClientOptions {
  readonly api: URL;
  /** Undefined: requests carry no token. A function is called for it before each one. */
  readonly token: string | (() => Promise<string>) | undefined;
  /** Keeps successes, to find out why code that uses them fails. */
  readonly received: ReceivedResponses;
  /** Shows a warning to the person: a retry, or a token that expires soon. */
  warn(text: string): void;
}

const redirectStatuses = [301, 302, 303, 307, 308];

/** The client of the command line. It sends the token to the API's origin only. */
export function createClient({ api, token, received, warn }: ClientOptions): Client {
  const timeout = timeoutMilliseconds(process.env);
  const warned = new Set<string>();
  const warnOnce = (about: string, text: string | undefined) => {
    if (text === undefined || warned.has(about)) return;
    warned.add(about);
    warn(text);
  };
  return new Client({
    api,
    tries: 5,
    credential: async () => (typeof token === "function" ? await token() : token),
    onSuccess: (line, response) => received.note({ api, line, response }),
    onRetry: ({ why }, delay) => warn(`${why} Trying again in ${(delay / 1_000).toFixed(1)} s.`),
    fetch: async (request) => {
      const response = await exchange(request, timeout);
      warnOnce("clock", clockWarning(api));
      if (response.status < 300) warnOnce("expiry", expiryWarning(response));
      return response;
    },
  });
}

/** One try. Follows redirects within the API's origin. @throws NetworkError; UserError for a redirect elsewhere */
async function exchange(request: ApiRequest, timeoutMilliseconds: number): Promise<HttpResponse> {
  const { method, headers: sent, body } = request;
  let { url } = request;
  for (let redirects = 0; ; redirects += 1) {
    const response = await send({
      method,
      url,
      body,
      headers: {
        accept: "application/json, application/problem+json",
        "user-agent": `svc/${packageVersion} (${process.platform}-${process.arch}; node ${process.version})`,
        ...sent,
      },
      timeoutMilliseconds,
    }).catch((failure: unknown) => throwFinal(failure, url));
    if (!request.follows || redirects >= 5 || !redirectStatuses.includes(response.status)) return response;
    const target = redirectTarget(response, url);
    if (target === undefined) return response;
    url = target;
  }
}

/** @returns undefined if it names none. @throws UserError if it is of another origin */
function redirectTarget({ status, header }: HttpResponse, from: URL): URL | undefined {
  const location = header("location") ?? "";
  const to = URL.canParse(location, from.href) ? new URL(location, from) : undefined;
  if (to === undefined || to.origin === from.origin) return to;
  throw new UserError(`${from.origin} redirects to ${to.origin}. Your token is not sent there.`, {
    code: "redirected_elsewhere",
    exitCode: exitCodes.failed,
    status,
    next: `If that is the right API, log in to it: svc login --api ${formatApiUrl(new URL("/", to))}`,
  });
}

function clockWarning({ origin }: URL): string | undefined {
  const error = clockError();
  return error && `This machine's clock is ${error}. svc goes by the clock of ${origin}; set this one right.`;
}

function expiryWarning({ header }: HttpResponse): string | undefined {
  const expiresAt = header(headers.tokenExpiresAt);
  if (typeof expiresAt !== "string" || Number.isNaN(Date.parse(expiresAt))) return undefined;
  const when = `in ${durationUntil(expiresAt, serverNow())} (${minute(expiresAt)} UTC)`;
  return `This token expires ${when}. Replace it in time: svc login, or the dashboard.`;
}

/**
 * Time to wait for a response: SVC_TIMEOUT, which is in seconds; 60 seconds if it is unset or empty.
 *
 * @throws UserError (exit code 2) for anything but a number above 0 and up to 3,600
 */
export function timeoutMilliseconds(environment: NodeJS.ProcessEnv): number {
  const text = environment["SVC_TIMEOUT"]?.trim();
  if (!text) return 60_000;
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : 0;
  if (seconds > 0 && seconds <= 3_600) return seconds * 1_000;
  throw usageError("SVC_TIMEOUT must be a number of seconds above 0, up to 3600.", {
    code: "invalid_timeout",
    next: "SVC_TIMEOUT=120 svc …, or unset it for the default of 60 seconds.",
  });
}
