import { useDashboard } from "../dashboard.ts";

/** What a machine does once before it can publish. As it stands, each command works in an empty shell. */
export function useFirstSteps() {
  const { api, commandLine } = useDashboard().configuration;
  return [
    { title: "Install the command line, with Node 22.21 or later", command: `npm install --global ${commandLine}` },
    { title: "Sign in from the terminal", command: `svc login --api ${api}` },
  ];
}

/** A slug that nobody has taken. */
export function freeSlug(): string {
  return `my-game-${crypto.randomUUID().slice(0, 6)}`;
}
