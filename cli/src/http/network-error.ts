import type { ClientRequest } from "node:http";
import { UserError } from "../errors.ts";
import { proxyFor } from "./agent.ts";

/** No response came. The server may have handled the request. */
export class NetworkError extends UserError {
  /** Whether a retry can succeed. */
  readonly isTransient: boolean;
  /** Whether the server certainly did not get the request. */
  readonly isUnsent: boolean;

  constructor(message: string, options: { next?: string; isTransient: boolean; isUnsent: boolean; cause?: unknown }) {
    super(message, { code: "network", ...options });
    this.isTransient = options.isTransient;
    this.isUnsent = options.isUnsent;
  }
}

const reasons: Record<string, string> = {
  ECONNREFUSED: "nothing listens there",
  ENOTFOUND: "unknown host name",
  EAI_AGAIN: "its host name cannot be looked up at the moment",
  ECONNRESET: "it closed the connection",
  EPIPE: "it closed the connection",
  ETIMEDOUT: "it did not respond in time",
  EHOSTUNREACH: "no route to host",
  ENETUNREACH: "no route to host",
};

const nextSteps = {
  api: "Check the API URL (--api or SVC_API) and the network, then try again.",
  store: "Files are stored there. Check the network, and publish again: files that are uploaded are not sent again.",
};

const hostsThatResponded = new Set<string>();

/** That a host responded proves its name: if it cannot be found later, the network is away for a moment. */
export function noteResponse({ host }: URL): void {
  hostsThatResponded.add(host);
}

/** Makes a socket's error readable: with the URL's origin, never the whole URL. */
export function networkError(error: unknown, url: URL, server: keyof typeof nextSteps = "api"): NetworkError {
  if (error instanceof NetworkError) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const where = url.origin;
  const proxy = proxyFor(url, process.env);
  if (code === "ERR_PROXY_TUNNEL") return tunnelError(error as Error, url, proxy);
  if (isCertificateProblem(code))
    return new NetworkError(`The certificate of ${where} is not trusted (${code}), so nothing was sent to it.`, {
      next: "If a company proxy or a private certificate authority signed it, set NODE_EXTRA_CA_CERTS to the authority's file.",
      isTransient: false,
      isUnsent: true,
      cause: error,
    });
  const isUnsent = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"].includes(code);
  return new NetworkError(`${where} cannot be reached: ${reasons[code] ?? (code || String(error))}.`, {
    next: proxy === undefined ? nextSteps[server] : `${checkProxy} ${nextSteps[server]}`,
    isTransient: code !== "ENOTFOUND" || hostsThatResponded.has(url.host),
    isUnsent,
    cause: error,
  });
}

const checkProxy = "Check HTTPS_PROXY and NO_PROXY.";

/** The proxy refused to connect, closed the connection, or did not respond in time. */
function tunnelError(error: Error & { statusCode?: number }, url: URL, proxy: URL | undefined): NetworkError {
  const { statusCode: status } = error;
  const why = status === undefined ? "it closed the connection" : `it responded to CONNECT with ${status}`;
  return new NetworkError(`The proxy ${proxy?.host} does not connect to ${url.host}: ${why}.`, {
    next: checkProxy,
    isTransient: status === undefined || status >= 500,
    isUnsent: true,
    cause: error,
  });
}

function isCertificateProblem(code: string): boolean {
  return /CERT|SIGNATURE|^ERR_TLS|^ERR_SSL|^EPROTO$/.test(code);
}

/**
 * Fails a request if the server sends nothing for the time-out, or if body and response together take longer than the time-out
 * and 0.1 s for each kilobyte of the body: the socket's own time-out does not stop a server that sends one byte now and then.
 *
 * @param fail is called besides `destroy`, because a request whose proxy has not connected yet emits no error
 */
export function limitDuration(
  outgoing: ClientRequest,
  url: URL,
  { timeoutMilliseconds, bytes, fail }: { timeoutMilliseconds: number; bytes: number; fail(error: Error): void },
): void {
  const stopAfter = (milliseconds: number) => () => {
    const error = timeoutError(url, milliseconds);
    fail(error);
    outgoing.destroy(error);
  };
  const longestMilliseconds = timeoutMilliseconds + bytes / 10;
  const timer = setTimeout(stopAfter(longestMilliseconds), longestMilliseconds);
  outgoing.on("timeout", stopAfter(timeoutMilliseconds));
  outgoing.on("close", () => clearTimeout(timer));
}

/** The error for a server that does not respond in time. */
function timeoutError({ origin }: URL, timeoutMilliseconds: number): NetworkError {
  return new NetworkError(`${origin} did not respond within ${Math.round(timeoutMilliseconds) / 1_000} seconds.`, {
    next: "Try again, or wait longer: SVC_TIMEOUT=120 svc …",
    isTransient: true,
    isUnsent: false,
  });
}

/** The error for a response that is longer than any of the API: another try would only load it again. */
export function tooLongResponse({ origin }: URL): NetworkError {
  return new NetworkError(`${origin} sent a response that is too long for this API.`, {
    next: "Check the API URL (--api or SVC_API).",
    isTransient: false,
    isUnsent: false,
  });
}
