import type { ReadStream } from "node:tty";
import { isUtf16 } from "../../contract/folder/text-encoding.ts";
import { exitCodes, UserError, usageError } from "./errors.ts";

/** More than any token has: a large file that is piped in by mistake is not read whole. */
const longestInputBytes = 64 * 1024;

/**
 * Reads a token from standard input, or on a terminal from a prompt that does not show it.
 *
 * @param options `isPiped` is `--token -`, `label` the API that the prompt names
 * @throws UserError (exit code 2) for an empty input, for several lines, and without both terminal and `--token -`
 */
export async function readToken({ isPiped, label }: { isPiped: boolean; label: string }): Promise<string> {
  const { stdin } = process;
  if (!stdin.isTTY && !isPiped)
    throw usageError("There is no terminal on which to ask for the token.", {
      code: "no_terminal",
      next: "svc login --device shows a code to approve in a browser on another machine; svc login --token - reads a token from standard input.",
    });
  return oneToken(stdin.isTTY ? await promptHidden(stdin, `Token for ${label}: `) : await readAll(stdin));
}

/**
 * The token in a text, without white space around it.
 *
 * @throws UserError (exit code 2) for an empty text or several lines
 */
export function oneToken(text: string): string {
  if (isUtf16(text))
    throw usageError("The token is in UTF-16, which Windows PowerShell's > writes.", {
      code: "token_encoding",
      next: "Save it as UTF-8 or ASCII: Set-Content -Encoding ascii",
    });
  const token = text.trim();
  if (token === "")
    throw usageError("The token is empty.", {
      code: "token_empty",
      next: "Check that the command before the pipe, or the variable, contains the token.",
    });
  if (/[\r\n]/.test(token))
    throw usageError("Standard input has several lines; svc expects one token.", { code: "token_lines" });
  return token;
}

async function readAll(stdin: NodeJS.ReadStream): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stdin) {
    chunks.push(chunk as Buffer);
    length += (chunk as Buffer).length;
    if (length > longestInputBytes)
      throw usageError("Standard input is too long for a token.", { code: "token_too_long" });
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** The methods of a terminal that the prompt uses. */
export type Terminal = Pick<ReadStream, "on" | "off" | "pause" | "resume" | "setRawMode">;

/**
 * Asks on standard error and reads one line from the terminal without showing it. Backspace removes a character, Ctrl-U the
 * line; Ctrl-D finishes the line, Ctrl-C stops the program.
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
      // A terminal may send ESC [ 200 ~ before pasted text and ESC [ 201 ~ after it.
      for (const character of data.toString("utf8").replaceAll("\u001b[200~", "").replaceAll("\u001b[201~", "")) {
        if (character === "\u0003") return finish(() => reject(interrupted()));
        if (character === "\r" || character === "\n" || character === "\u0004")
          return finish(() => resolve(typed.join("")));
        if (character === "\u007f" || character === "\b") typed.pop();
        else if (character === "\u0015") typed = [];
        else typed.push(character);
      }
    };
    // Before the question, so that no typed character is ever shown.
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
