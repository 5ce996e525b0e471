import { createInterface } from "node:readline";
import { exitCodes, UserError } from "./errors.ts";
import { printable, wrapped } from "./text.ts";

/** Whether there is a person who can be asked. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/**
 * Asks a question on the terminal. Everything but y and yes means no.
 *
 * @throws UserError (exit code 130) after Ctrl-C
 */
export async function confirm(question: string): Promise<boolean> {
  return /^y(es)?$/i.test((await replyTo(`${question} [y/N]`)) ?? "");
}

/**
 * Asks for a text on the terminal.
 *
 * @param proposed the reply of whoever only presses Enter
 * @throws UserError (exit code 130) after Ctrl-C or Ctrl-D
 */
export async function ask(question: string, proposed: string): Promise<string> {
  const reply = await replyTo(`${question} [${proposed}]:`);
  if (reply === undefined) throw interrupted();
  return reply || proposed;
}

/** The line that is typed, without spaces around it; undefined after Ctrl-D. */
function replyTo(question: string): Promise<string | undefined> {
  const shown = wrapped(printable(question), process.stderr.columns).split("\n");
  const last = shown.pop() ?? "";
  for (const line of shown) process.stderr.write(`${line}\n`);
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  return new Promise((resolve, reject) => {
    lines.on("close", () => resolve(undefined));
    lines.on("SIGINT", () => {
      process.stderr.write("\n");
      reject(interrupted());
      lines.close();
    });
    lines.question(`${last} `, (typed) => {
      resolve(typed.trim());
      lines.close();
    });
  });
}

function interrupted(): UserError {
  return new UserError("Interrupted; nothing was changed.", {
    code: "interrupted",
    exitCode: exitCodes.interrupted,
  });
}
