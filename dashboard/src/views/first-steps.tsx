import { useDashboard } from "../dashboard.ts";
import { Commands } from "../parts/copy.tsx";

/** Steps that a machine does once before it can publish. Each command works in an empty shell, exactly as it is written. */
export function useFirstSteps() {
  const { api, commandLine } = useDashboard().configuration;
  return [
    { title: "Install the command line, with Node 22.21 or later", command: `npm install --global ${commandLine}` },
    { title: "Sign in from the terminal", command: `svc login --api ${api}` },
  ];
}

/** An address that nobody has taken. */
export function freeSlug(): string {
  return `my-game-${crypto.randomUUID().slice(0, 6)}`;
}

interface FromTerminalProps {
  /** After the first steps, in the folder that holds the game's index.html. */
  readonly steps: Parameters<typeof Commands>[0]["steps"];
}

/** The commands that do the same as dropping a folder. */
export function FromTerminal({ steps }: FromTerminalProps) {
  const firstSteps = useFirstSteps();
  return (
    <details class="fold">
      <summary>From a terminal instead</summary>
      <p class="hint">In the folder that holds your game’s index.html:</p>
      <Commands steps={[...firstSteps, ...steps]} />
    </details>
  );
}
