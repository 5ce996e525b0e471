import { type ErrorCode, errors } from "../../contract/api/errors.ts";

/** One invalid place of a request: a JSON Pointer (RFC 6901) and what is wrong there. */
export interface InvalidPlace {
  readonly pointer: string;
  readonly detail: string;
}

interface Options {
  readonly detail?: string;
  readonly errors?: readonly InvalidPlace[];
  readonly cause?: unknown;
  readonly reason?: string;
  readonly signInSeconds?: number;
  readonly acrValues?: readonly string[];
  readonly retryAfterSeconds?: number;
  readonly needs?: "publisher" | "identity_token";
}

/**
 * A refusal that the caller sees; http/response.ts makes the problem response of it.
 *
 * @param code the stable code; status, title and default detail come from contract/api/errors.ts
 * @param options `detail` replaces the default sentence; `errors` names the invalid places; `cause` and `reason` are logged,
 *   not sent; `reason` must hold no value of the request; `signInSeconds` says how recent a sign-in must be, `acrValues` of which authentication context; `retryAfterSeconds` when to try again,
 *   if that is not the same for each error of the code; `needs`: what would let a CI job in
 */
export class ServiceError extends Error {
  override readonly name = "ServiceError";
  readonly code: ErrorCode;
  readonly detail: string;
  readonly errors: readonly InvalidPlace[] | undefined;
  readonly reason: string | undefined;
  readonly signInSeconds: number | undefined;
  readonly acrValues: readonly string[] | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly needs: Options["needs"];

  constructor(code: ErrorCode, options: Options = {}) {
    super(code, "cause" in options ? { cause: options.cause } : undefined);
    this.code = code;
    this.detail = options.detail ?? errors[code].detail;
    this.errors = options.errors;
    this.reason = options.reason;
    this.signInSeconds = options.signInSeconds;
    this.acrValues = options.acrValues;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.needs = options.needs;
  }
}
