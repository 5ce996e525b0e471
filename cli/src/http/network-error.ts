import type { ClientRequest } from "node:http";
import { NetworkError } from "../../../contract/api-error.ts";
import { isLoopback } from "../api-url.ts";
import { minute } from "../text.ts";
import { proxyFor } from "./agent.ts";
import { type TlsFailure, tlsFailure } from "./tls-failure.ts";

const reasons: Record<string, string> = {
  ECONNREFUSED: "nothing listens there",
  ENOTFOUND: "unknown host name",
  EAI_AGAIN: "its host name cannot be looked up at the moment",
  ECONNRESET: "it closed the connection",
  EPIPE: "it closed the connection",
  ETIMEDOUT: "it did not respond in time",
  EHOSTUNREACH: "no route to host",
  ENETUNREACH: "no route to host",
  ENETDOWN: "no route to host",
};

const nextSteps = {
  api: "Check the API URL (--api or SVC_API) and the network, then try again.",
  store: "Files are stored there. Check the network, and publish again: files that are uploaded are not sent again.",
};

/** Error codes that say that this machine has no network. */
const noNetwork = ["EAI_AGAIN", "ENETUNREACH", "ENETDOWN", "EHOSTUNREACH"];

const hostsThatResponded = new Set<string>();

/** Notes that a host's name exists, since it responded: if it cannot be found later, the network is away for a moment. */
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
  const failure = tlsFailure(error);
  if (failure !== undefined) return tlsError(error, url, { failure, code, proxy });
  const isUnsent = ["ECONNREFUSED", "ENOTFOUND", ...noNetwork].includes(code);
  const hasResponded = hostsThatResponded.has(url.host);
  const isPlain = url.protocol === "http:" && code === "ECONNRESET" && server === "api";
  return new NetworkError(`${where} cannot be reached: ${reasons[code] ?? (code || String(error))}.`, {
    next: `${proxy === undefined ? "" : `${checkProxy} `}${isPlain ? `If it speaks TLS: --api https://${url.host}. ` : ""}${nextSteps[server]}`,
    isTransient: code !== "ENOTFOUND" || hasResponded,
    isUnsent,
    isLost: noNetwork.includes(code) || (hasResponded && (isUnsent || code === "ETIMEDOUT")),
    cause: error,
  });
}

const checkProxy = "Check HTTPS_PROXY and NO_PROXY.";

/** The proxy refused to connect, closed the connection, or did not respond in time. */
function tunnelError(error: Error & { statusCode?: number }, url: URL, proxy: URL | undefined): NetworkError {
  const { statusCode: status } = error;
  const why = status === undefined ? "it closed the connection" : `it responded to CONNECT with ${status}`;
  return new NetworkError(`The proxy ${proxy?.host} does not connect to ${url.host}: ${why}.`, {
    next:
      status === undefined && proxy?.protocol === "http:"
        ? `${checkProxy} If the proxy speaks TLS: HTTPS_PROXY=https://${proxy.host}`
        : checkProxy,
    isTransient: status === undefined || status >= 500,
    isUnsent: true,
    cause: error,
  });
}

interface TlsDetails {
  readonly failure: TlsFailure;
  readonly code: string;
  readonly proxy: URL | undefined;
}

/** A peer that spoke TLS before has not stopped to: what looks so then is damage. */
function tlsError(cause: unknown, url: URL, { failure, code, proxy }: TlsDetails): NetworkError {
  const isDamage = failure === "broken" || (failure === "no_tls" && hostsThatResponded.has(url.host));
  const [message, next] = isDamage ? damaged(url, proxy) : tlsWords[failure](url, { code, proxy });
  return new NetworkError(message, { next, isTransient: isDamage, isUnsent: !isDamage, cause });
}

const damaged = ({ origin }: URL, proxy: URL | undefined): TlsWords => [
  `The connection to ${origin} broke: bytes were damaged on the way.`,
  `${proxy === undefined ? "" : `${checkProxy} `}Try again, on another network if it stays so.`,
];

type TlsWords = readonly [message: string, next: string];
type Explanation = (url: URL, details: Pick<TlsDetails, "code" | "proxy">) => TlsWords;

const tlsWords: Record<Exclude<TlsFailure, "broken">, Explanation> = {
  certificate: ({ origin }, { code }) => [
    `The certificate of ${origin} is not trusted (${code}), so nothing was sent to it.`,
    /EXPIRED|NOT_YET_VALID/.test(code)
      ? `Check this machine's clock, which says ${minute(new Date().toISOString())} UTC; else tell the operator of the API.`
      : "If a company proxy or a private certificate authority signed it, set NODE_EXTRA_CA_CERTS to the authority's file.",
  ],
  no_tls: ({ origin, host, hostname }, { proxy }) => {
    if (proxy?.protocol === "https:")
      return [
        `The proxy ${proxy.host} does not speak TLS, or ${host} behind it does not.`,
        `If the proxy speaks plain http: HTTPS_PROXY=http://${proxy.host}`,
      ];
    if (isLoopback(hostname)) return [`${origin} does not speak TLS.`, `If it speaks plain http: --api http://${host}`];
    return [
      `${origin} does not speak TLS${proxy === undefined ? "" : `, through the proxy ${proxy.host}`}.`,
      `Check the port of the API's URL (--api or SVC_API)${proxy === undefined ? "" : ", and HTTPS_PROXY"}. A token goes only over TLS.`,
    ];
  },
  no_common_version: ({ origin }) => [
    `${origin} and this machine have no version of TLS, or no cipher, in common.`,
    "svc needs TLS 1.2 or later. Check whether a proxy is in between, or tell the operator of the API.",
  ],
  client_certificate: ({ origin }) => [
    `${origin} wants a certificate of this machine, which svc does not have.`,
    "Check the API's URL (--api or SVC_API), and whether a proxy is in between.",
  ],
};

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
  // A host whose response has begun is there: it is slow, and the network is not lost.
  let hasBegun = false;
  outgoing.once("response", () => {
    hasBegun = true;
  });
  const stopAfter = (milliseconds: number) => () => {
    const error = timeoutError(url, { milliseconds, hasBegun });
    fail(error);
    outgoing.destroy(error);
  };
  const longestMilliseconds = timeoutMilliseconds + bytes / 10;
  const timer = setTimeout(stopAfter(longestMilliseconds), longestMilliseconds);
  outgoing.on("timeout", stopAfter(timeoutMilliseconds));
  outgoing.on("close", () => clearTimeout(timer));
}

/** The error for a server that does not respond in time; `hasBegun`: but has begun to. */
function timeoutError(
  { origin, host }: URL,
  { milliseconds, hasBegun }: { readonly milliseconds: number; readonly hasBegun: boolean },
): NetworkError {
  return new NetworkError(`${origin} did not respond within ${Math.round(milliseconds) / 1_000} seconds.`, {
    next: "Try again, or wait longer: SVC_TIMEOUT=120 svc …",
    isTransient: true,
    isUnsent: false,
    isLost: hostsThatResponded.has(host) && !hasBegun,
  });
}

/** Plain http is to this machine: if nothing listens there, nothing will in a moment. @throws the failure, final if it is that */
export function throwFinal(failure: unknown, { protocol }: URL): never {
  if (!(failure instanceof NetworkError && failure.isUnsent && !failure.isLost && protocol === "http:")) throw failure;
  const { message, next, isUnsent, cause } = failure;
  throw new NetworkError(message, { next, isTransient: false, isUnsent, cause });
}

/** The error for a response that is longer than any of the API: another try would only load it again. */
export function tooLongResponse({ origin }: URL): NetworkError {
  return new NetworkError(`${origin} sent a response that is too long for this API.`, {
    next: "Check the API URL (--api or SVC_API).",
    isTransient: false,
    isUnsent: false,
  });
}
