import { type ExitCode, exitCodes, UserError } from "../errors.ts";

/** Ctrl-C and SIGTERM stop publishing with an error, unless the release is going live; a second one exits. */
export function watchSignals(note: (text: string) => void) {
  const controller = new AbortController();
  let isStoppable = true;
  let seen = 0;
  const stop = (what: string, exitCode: ExitCode) => () => {
    seen += 1;
    if (seen > 1) process.exit(exitCode);
    if (!isStoppable)
      return note(
        "The release is going live already. A second Ctrl-C stops svc before the response; then svc releases shows what is live.",
      );
    controller.abort(
      new UserError(`${what}. The live release is untouched.`, {
        code: "interrupted",
        exitCode,
        next: "The same command continues where this one stopped.",
      }),
    );
  };
  process.on("SIGINT", stop("Interrupted", exitCodes.interrupted));
  process.on("SIGTERM", stop("Terminated", exitCodes.terminated));
  return {
    signal: controller.signal,
    ignore: () => {
      isStoppable = false;
    },
  };
}
