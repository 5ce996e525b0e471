/** Exit codes of the process. Permanent: scripts match on them (docs/cli.md). */
export const exitCodes = {
  done: 0,
  /** Any other failure: the network, a missing project, a bug. */
  failed: 1,
  /** Invalid command line or standard input. */
  usage: 2,
  /** No token, one that the API refuses, or one that may not do this. */
  denied: 4,
  /** Nothing was measured: `svc profile` has no frames to judge, `svc check` no browser that starts. */
  unmeasured: 5,
  /** The name is taken, or another release went live first. */
  conflict: 6,
  /** Stopped by Ctrl-C: 128 + SIGINT, as shells count. */
  interrupted: 130,
  /** Stopped by SIGTERM, as CI systems do when a job is cancelled: 128 + 15. */
  terminated: 143,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

export interface UserErrorOptions {
  /** Stable, snake_case: what a program matches on with `--json`. */
  readonly code: string;
  readonly exitCode?: ExitCode;
  /** Advice about the next step, as a sentence or a command line. */
  readonly next?: string;
  readonly status?: number;
  readonly requestId?: string;
  /** Invalid places of a request or a folder, each as "place: what is wrong". */
  readonly places?: readonly string[];
  readonly cause?: unknown;
}

/**
 * A failure that the person can understand and usually correct: shown as a sentence, without a stack trace.
 * Every other error is reported as a bug of svc.
 */
export class UserError extends Error {
  override readonly name = "UserError";
  readonly code: string;
  readonly exitCode: ExitCode;
  readonly next: string | undefined;
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  readonly places: readonly string[];

  constructor(message: string, options: UserErrorOptions) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.code = options.code;
    this.exitCode = options.exitCode ?? exitCodes.failed;
    this.next = options.next;
    this.status = options.status;
    this.requestId = options.requestId;
    this.places = options.places ?? [];
  }
}

/** Wrong use of the command line: exit code 2. */
export function usageError(
  message: string,
  options: Partial<Pick<UserErrorOptions, "code" | "next" | "places">> = {},
): UserError {
  return new UserError(message, { code: "usage", exitCode: exitCodes.usage, ...options });
}
