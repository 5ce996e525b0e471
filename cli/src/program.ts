import { ReportedError, reportFailure } from "./report.ts";

/**
 * Runs the program: a failure of `work` is reported once, and gives the exit code.
 *
 * @param argv the arguments, without node and the script
 */
export function startProgram(argv: readonly string[], work: () => Promise<void>): void {
  const words = argv.includes("--") ? argv.slice(0, argv.indexOf("--")) : argv;
  const isJson = words.includes("--json");

  // Node itself would print the line of the bundle and the message as they are, a token in them too.
  process.on("uncaughtException", (error) => process.exit(reportFailure(error, { isJson })));

  // A closed pipe (`svc … | head`) is no failure, and publishing continues if nobody reads its warnings.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
  process.stderr.on("error", () => {});

  work()
    .catch((error: unknown) => {
      process.exitCode = error instanceof ReportedError ? error.oclif.exit : reportFailure(error, { isJson });
    })
    // Waits until the output is written, but not for uploads, timers and connections to a proxy that are still open.
    .finally(() => process.stderr.write("", () => process.stdout.write("", () => process.exit())));
}
