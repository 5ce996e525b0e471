import type { ReadStream } from "node:tty";
import { exitCodes, UserError, usageError } from "./errors.ts";

/** Far more than any token, far less than a disk image that was piped in by mistake. */
const longestInputBytes = 64 * 1024;

/**
 * Reads the token that a person wants to save: from standard input, or from a prompt that shows nothing of what is typed.
 *
 * @param options `isPiped` is `--token -`; on a terminal that too becomes the prompt, so that a typed token is not shown
 * @throws UserError (exit code 2) for an empty input, for several lines, and where there is neither terminal nor `--token -`
 */
export async function readToken({ isPiped, label }: { isPiped: boolean; label: string }): Promise<string> {
  const { stdin } = process;
  if (!stdin.isTTY && !isPiped)
    throw usageError("There is no terminal to ask for the token.", {
      code: "no_terminal",
      next: "Send it to standard input: svc login --token -",
    });
  return oneToken(stdin.isTTY ? await promptHidden(stdin, `Token for ${label}: `) : await readAll(stdin));
}

/** The one token in a text: white space around it does not count, anything else does. */
export function oneToken(text: string): string {
  const token = text.trim();
  if (token === "")
    throw usageError("The token is empty.", {
      code: "token_empty",
      next: "Check that the command before the pipe, or the variable, really gives the token.",
    });
  if (/[\r\n]/.test(token))
    throw usageError("Standard input has several lines; one token is wanted.", { code: "token_lines" });
  return token;
}

async function readAll(stdin: NodeJS.ReadStream): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stdin) {
    chunks.push(chunk as Buffer);
    length += (chunk as Buffer).length;
    if (length > longestInputBytes)
      throw usageError("Standard input is far too long for a token.", { code: "token_too_long" });
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** What the prompt needs of a terminal. */
export type Terminal = Pick<ReadStream, "on" | "off" | "pause" | "resume" | "setRawMode">;

/**
 * Asks on standard error and reads one line from the terminal without showing it. Backspace takes back a character,
 * Ctrl-U all of them, Ctrl-C ends the program, Ctrl-D ends the line.
 */
export function promptHidden(
  terminal: Terminal,
  question: string,
  write: (text: string) => void = (text) => void process.stderr.write(text),
): Promise<string> {
  return new Promise((resolve, reject) => {
    let typed: string[] = [];
    const finish = (settle: () => void) => {
      terminal.off("data", read);
      terminal.setRawMode(false);
      terminal.pause();
      write("\n");
      settle();
    };
    const read = (data: Buffer | string) => {
      // A terminal may mark pasted text: ESC [ 200 ~ before it, ESC [ 201 ~ behind it.
      for (const character of data.toString("utf8").replaceAll("\u001b[200~", "").replaceAll("\u001b[201~", "")) {
        if (character === "\u0003") return finish(() => reject(interrupted()));
        if (character === "\r" || character === "\n" || character === "\u0004")
          return finish(() => resolve(typed.join("")));
        if (character === "\u007f" || character === "\b") typed.pop();
        else if (character === "\u0015") typed = [];
        else typed.push(character);
      }
    };
    // Before the question: what is typed as soon as it is seen must not be shown either.
    terminal.setRawMode(true);
    write(question);
    terminal.on("data", read);
    terminal.resume();
  });
}

function interrupted(): UserError {
  return new UserError("Interrupted; nothing was saved.", {
    code: "interrupted",
    exitCode: exitCodes.interrupted,
  });
}
