import { Reported, reportFailure } from "./report.ts";

/**
 * Runs the program to its end: whatever `work` throws is told once, and becomes the exit code.
 *
 * @param argv without node and the script
 */
export function startProgram(argv: readonly string[], work: () => Promise<void>): void {
  const own = argv.includes("--") ? argv.slice(0, argv.indexOf("--")) : argv;
  const isJson = own.includes("--json");

  // Without this, node would print the line of the bundle that threw, and with it whatever stands in the message.
  process.on("uncaughtException", (error) => process.exit(reportFailure(error, { isJson })));

  // A reader that has seen enough is no failure, and publishing goes on where nobody reads its warnings.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
  process.stderr.on("error", () => {});

  work().catch((error: unknown) => {
    process.exitCode = error instanceof Reported ? error.oclif.exit : reportFailure(error, { isJson });
    // Uploads and waits that are still under way are of no use any more.
    process.stdout.write("", () => process.exit());
  });
}
