import type { ClientRequest } from "node:http";
import { UserError } from "../errors.ts";

/** No response came: the request may or may not have been carried out. */
export class NetworkError extends UserError {
  /** Whether another try can help. */
  readonly isTransient: boolean;
  /** Whether it is sure that the server never saw the request. */
  readonly isUnsent: boolean;

  constructor(message: string, options: { next?: string; isTransient: boolean; isUnsent: boolean; cause?: unknown }) {
    super(message, { code: "network", ...options });
    this.isTransient = options.isTransient;
    this.isUnsent = options.isUnsent;
  }
}

const reasons: Record<string, string> = {
  ECONNREFUSED: "nothing listens there",
  ENOTFOUND: "its name is not known",
  EAI_AGAIN: "its name cannot be looked up at the moment",
  ECONNRESET: "it hung up",
  EPIPE: "it hung up",
  ETIMEDOUT: "it did not answer in time",
  EHOSTUNREACH: "no route to host",
  ENETUNREACH: "no route to host",
};

/** A system error of a socket, told so that it can be understood. `where` is an origin, never a whole address. */
export function networkError(error: unknown, where: string): NetworkError {
  if (error instanceof NetworkError) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (isCertificateProblem(code))
    return new NetworkError(`The certificate of ${where} is not trusted (${code}), so nothing was sent to it.`, {
      next: "If a company proxy or a private authority signed it, set NODE_EXTRA_CA_CERTS to that authority's file.",
      isTransient: false,
      isUnsent: true,
      cause: error,
    });
  const isUnsent = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"].includes(code);
  return new NetworkError(`${where} cannot be reached: ${reasons[code] ?? (code || String(error))}.`, {
    next: "Check the address (--api or SVC_API) and the network, then try again.",
    isTransient: code !== "ENOTFOUND",
    isUnsent,
    cause: error,
  });
}

function isCertificateProblem(code: string): boolean {
  return /CERT|SIGNATURE|^ERR_TLS|^ERR_SSL|^EPROTO$/.test(code);
}

/**
 * Ends a request that is not over in time, body and response together: a server that takes or sends a byte now and then
 * would never be silent. Ten kilobytes a second are waited for.
 */
export function endInTime(
  outgoing: ClientRequest,
  url: URL,
  { timeoutMilliseconds, bytes }: { timeoutMilliseconds: number; bytes: number },
): void {
  const longestMilliseconds = timeoutMilliseconds + bytes / 10;
  const timer = setTimeout(() => outgoing.destroy(silence(url, longestMilliseconds)), longestMilliseconds);
  outgoing.on("close", () => clearTimeout(timer));
}

/** The error for a server that says nothing for too long. */
export function silence({ origin }: URL, timeoutMilliseconds: number): NetworkError {
  return new NetworkError(`${origin} did not answer within ${Math.round(timeoutMilliseconds) / 1_000} seconds.`, {
    next: "Try again, or wait longer: SVC_TIMEOUT=120 svc …",
    isTransient: true,
    isUnsent: false,
  });
}
