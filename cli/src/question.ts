import { createInterface } from "node:readline";
import { exitCodes, UserError } from "./errors.ts";
import { printable } from "./text.ts";

/** Whether there is a person who can be asked. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/**
 * Asks a question on the terminal. Everything but y and yes means no.
 *
 * @throws UserError (exit code 130) after Ctrl-C
 */
export function confirm(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  return new Promise((resolve, reject) => {
    lines.on("close", () => resolve(false));
    lines.on("SIGINT", () => {
      process.stderr.write("\n");
      reject(
        new UserError("Interrupted; nothing was changed.", { code: "interrupted", exitCode: exitCodes.interrupted }),
      );
      lines.close();
    });
    lines.question(`${printable(question)} [y/N] `, (typed) => {
      resolve(/^y(es)?$/i.test(typed.trim()));
      lines.close();
    });
  });
}
