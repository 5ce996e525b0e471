import type { CliUser } from "./cli.ts";
import { onPseudoTerminal, type TerminalRun } from "./terminal.ts";

/** A login that waits for approval. */
export interface WaitingLogin {
  /** The first match in what it shows, as soon as there is one. */
  readonly found: Promise<RegExpExecArray>;
  readonly ended: Promise<{ code: number | null; shown: string }>;
  /** Types Ctrl-C. */
  interrupt(): void;
}

/** Runs `svc login` on a pseudo-terminal until it shows the URL where it can be approved. No browser opens. */
export function startLogin(
  person: CliUser,
  args: string,
  api: string,
  pattern: RegExp,
  run: TerminalRun = {},
): WaitingLogin {
  const { promise, resolve, reject } = Promise.withResolvers<RegExpExecArray>();
  let type = (_: string) => {};
  const ended = onPseudoTerminal(person, args, {
    ...run,
    env: { SVC_API: api, BROWSER: "/bin/true", ...run.env },
    onStarted: (typing) => {
      type = typing;
    },
    onShown: (shown) => {
      const match = pattern.exec(shown);
      if (match) resolve(match);
    },
  });
  ended.then(({ shown }) => reject(new Error(`It ended without ${pattern}:\n${shown}`)), reject);
  promise.catch(() => undefined);
  return { found: promise, ended, interrupt: () => type("\u0003") };
}

/** The URL that `svc login` shows. */
export const approvalUrl = /https?:\/\/\S+\/authorize\?\S+(?=\r?\n)/;

/** The code that `svc login --device` shows. */
export const userCode = /[A-Z]{4}-[A-Z]{4}/;
