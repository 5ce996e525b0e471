import { spawn, spawnSync } from "node:child_process";
import { stripVTControlCharacters } from "node:util";
import { assertNoTokens, type CliUser, cliEnvironment, cliProgram } from "./cli.ts";

/** util-linux's script gives a pseudo-terminal; node alone has none. */
export const hasTerminal =
  spawnSync("script", ["--version"], { encoding: "utf8" }).stdout?.includes("util-linux") ?? false;

export interface TerminalRun {
  /** Sent as soon as the prompt is seen, or what `typeAfter` says. */
  readonly typed?: string;
  readonly typeAfter?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The width of the screen. */
  readonly columns?: number;
  /** Another program than svc. */
  readonly program?: string;
  /** Whether the command may print a token that it has created. */
  readonly printsToken?: boolean;
  /** When it is killed; a minute by default. */
  readonly timeoutMilliseconds?: number;
  /** Called with the function that types, when svc starts. */
  onStarted?(type: (text: string) => void): void;
  /** Called with the whole output so far, whenever there is more. */
  onShown?(shown: string): void;
}

/** Runs svc, or another program, on a pseudo-terminal. */
export function onPseudoTerminal(person: Pick<CliUser, "home">, args: string, run: TerminalRun = {}) {
  const { typed, typeAfter = "Token for", env, columns = 80, onShown } = run;
  const program = run.program ?? `${process.execPath} ${cliProgram}`;
  const command = `stty cols ${columns} && exec ${program} ${args}`;
  const child = spawn("script", ["--quiet", "--return", "--command", command, "/dev/null"], {
    cwd: person.home,
    env: cliEnvironment(person.home, { TERM: "xterm", ...env }),
    timeout: run.timeoutMilliseconds ?? 60_000,
    killSignal: "SIGKILL",
  });
  run.onStarted?.((text) => void child.stdin.write(text));
  let shown = "";
  let left = typed;
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    shown += chunk;
    onShown?.(shown);
    if (left === undefined || !shown.includes(typeAfter)) return;
    child.stdin.write(left);
    left = undefined;
  });
  return new Promise<{ code: number | null; shown: string }>((resolve) =>
    child.on("close", (code) => {
      if (!run.printsToken) assertNoTokens(shown, [typed ?? "", ...Object.values(env ?? {})]);
      resolve({ code, shown });
    }),
  );
}

/** Replies to each question as it is asked; to one more with Ctrl-C. */
export function replying(...replies: readonly string[]): TerminalRun {
  let asked = 0;
  let write: ((text: string) => void) | undefined;
  return {
    onStarted: (typing) => {
      write = typing;
    },
    onShown: (shown) => {
      const questions = shown.match(/\]: |\[y\/N\] /g)?.length ?? 0;
      for (; asked < questions; asked += 1) write?.(replies[asked] ?? "\u0003");
    },
  };
}

/** Text that stays on the screen, without styles: of a line that was cleared, what came after. */
export function plainText(shown: string): string {
  const lines = shown.replaceAll("\r\n", "\n").split("\n");
  return stripVTControlCharacters(lines.map((line) => line.split("\r\u001b[K").at(-1)).join("\n"));
}
