import { type ErrorCode, errors } from "../../contract/errors.ts";

/** One invalid place of a request: a JSON Pointer (RFC 6901) and what is wrong there. */
export interface InvalidPlace {
  readonly pointer: string;
  readonly detail: string;
}

/**
 * A refusal that the caller sees; http/response.ts makes the problem response of it.
 *
 * @param code the stable code; status, title and default detail come from contract/errors.ts
 * @param options `detail` replaces the default sentence; `errors` names the invalid places; `cause` is logged, not sent
 */
export class ServiceError extends Error {
  override readonly name = "ServiceError";
  readonly code: ErrorCode;
  readonly detail: string;
  readonly errors: readonly InvalidPlace[] | undefined;

  constructor(code: ErrorCode, options: { detail?: string; errors?: readonly InvalidPlace[]; cause?: unknown } = {}) {
    super(code, "cause" in options ? { cause: options.cause } : undefined);
    this.code = code;
    this.detail = options.detail ?? errors[code].detail;
    this.errors = options.errors;
  }
}
