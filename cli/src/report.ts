import { type ExitCode, exitCodes, UserError } from "./errors.ts";
import { asUserError } from "./http/problem.ts";
import { fromOclif, isOclifError } from "./oclif-error.ts";
import { isSystemError, systemReason } from "./system-error.ts";
import { hasColour, printable, printableJson, styles, withoutTokens, wrapped } from "./text.ts";

interface Report {
  readonly exitCode: ExitCode;
  readonly json: unknown;
  readonly text: string;
}

/** Thrown after a failure was reported, to exit with its code. oclif does not print it. */
export class ReportedError extends Error {
  override readonly name = "ReportedError";
  readonly code = "EEXIT";
  readonly skipOclifErrorHandling = true;
  readonly oclif: { readonly exit: ExitCode };

  constructor(exitCode: ExitCode) {
    super(`exit ${exitCode}`);
    this.oclif = { exit: exitCode };
  }
}

/**
 * Reports a failure: with `--json` as one document on one line of standard output, as the last one of NDJSON; else as text
 * on standard error.
 *
 * @returns the exit code
 */
export function reportFailure(failure: unknown, { isJson }: { readonly isJson: boolean }): ExitCode {
  const { exitCode, json, text } = describe(failure);
  if (isJson) process.stdout.write(`${printableJson(json)}\n`);
  else process.stderr.write(`${wrapped(withoutTokens(text), process.stderr.columns)}\n`);
  return exitCode;
}

function describe(failure: unknown): Report {
  const understood = asUserError(failure);
  if (understood) return describeUserError(understood);
  if (isOclifError(failure)) return describeUserError(fromOclif(failure));
  if (isSystemError(failure)) return describeUserError(fromSystem(failure));
  return describeBug(failure);
}

function describeUserError(error: UserError): Report {
  const { code, exitCode, message, next, places, requestId, status } = error;
  const { bold, dim, red } = styles(hasColour(process.stderr, process.env));
  const details = [code, status !== undefined && `status ${status}`, requestId !== undefined && `request ${requestId}`];
  const lines = [
    `${red(bold("error:"))} ${printable(message)}`,
    ...places.slice(0, 20).map((place) => `  - ${printable(place)}`),
    ...(places.length > 20 ? [`  - and ${places.length - 20} more`] : []),
    `  ${dim(details.filter(Boolean).map(String).map(printable).join(" · "))}`,
    ...(next === undefined ? [] : [`  ${bold("next:")} ${printable(next)}`]),
  ];
  return {
    exitCode,
    json: {
      error: {
        code,
        message,
        ...(status !== undefined && { status }),
        ...(requestId !== undefined && { request_id: requestId }),
        ...(places.length > 0 && { places }),
        ...(next !== undefined && { next }),
        exit_code: exitCode,
      },
    },
    // Of a failure of the API, where the code failed that used its response.
    text: `${lines.join("\n")}${error.cause instanceof TypeError || error.cause instanceof RangeError ? stackTraceOf(error.cause) : ""}`,
  };
}

/** The operating system refused something, usually a file: no bug of svc. */
function fromSystem(failure: NodeJS.ErrnoException & { readonly dest?: string }): UserError {
  // An error of chdir has the former folder as `path`.
  const file = failure.syscall === "chdir" ? failure.dest : failure.path;
  const what = file ?? (failure.syscall === "uv_cwd" ? "The current directory" : "Standard output");
  return new UserError(`${what}: ${systemReason(failure)}.`, {
    code: "system",
    cause: failure,
  });
}

function describeBug(failure: unknown): Report {
  const thrown = failure instanceof Error ? `${failure.name}: ${failure.message}` : String(failure);
  return {
    exitCode: exitCodes.failed,
    json: { error: { code: "bug", message: thrown, exit_code: exitCodes.failed } },
    text: `error: svc has a bug: ${printable(thrown)}\n  next: report it, with the output of DEBUG=1 svc …${stackTraceOf(failure)}`,
  };
}

/** Only developers are helped by it. */
function stackTraceOf(failure: unknown): string {
  return process.env["DEBUG"] && failure instanceof Error ? `\n${failure.stack}` : "";
}
