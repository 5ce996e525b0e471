import { type ExitCode, exitCodes, UserError } from "./errors.ts";
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
 * @param api the API whose responses were used, if there were some: they may be why the code failed
 * @returns the exit code
 */
export function reportFailure(
  failure: unknown,
  { isJson, api }: { readonly isJson: boolean; readonly api?: URL | undefined },
): ExitCode {
  const { exitCode, json, text } = describe(failure, api);
  if (isJson) process.stdout.write(`${printableJson(json)}\n`);
  else process.stderr.write(`${wrapped(withoutTokens(text), process.stderr.columns)}\n`);
  return exitCode;
}

function describe(failure: unknown, api: URL | undefined): Report {
  if (failure instanceof UserError) return describeUserError(failure);
  if (isOclifError(failure)) return describeUserError(fromOclif(failure));
  if (isSystemError(failure)) return describeUserError(fromSystem(failure));
  return describeUnexpected(failure, api);
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
    text: lines.join("\n"),
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

/**
 * A bug of svc, or of the API: a missing or wrong field of a response fails where it is used. The error's own words and its stack trace help
 * only developers: of a response they are shown only with DEBUG.
 */
function describeUnexpected(failure: unknown, api: URL | undefined): Report {
  const thrown = failure instanceof Error ? `${failure.name}: ${failure.message}` : String(failure);
  const stackTrace = process.env["DEBUG"] && failure instanceof Error ? `\n${failure.stack}` : "";
  if (api !== undefined && (failure instanceof TypeError || failure instanceof RangeError)) {
    const report = describeUserError(
      new UserError(`${api.host} sent a response that is not as the svc API sends it.`, {
        code: "unexpected_response",
        next: "Check the API URL (--api or SVC_API), and that svc is not older than the API; else report it, with the output of DEBUG=1 svc …",
      }),
    );
    return { ...report, text: `${report.text}${stackTrace}` };
  }
  return {
    exitCode: exitCodes.failed,
    json: { error: { code: "bug", message: thrown, exit_code: exitCodes.failed } },
    text: `error: svc has a bug: ${printable(thrown)}\n  next: report it, with the output of DEBUG=1 svc …${stackTrace}`,
  };
}
