import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import type { Readable } from "node:stream";

const program = "/usr/bin/Xvfb";

/** Whether a screen in memory can be made. */
export const hasScreen = existsSync(program);

/** A screen in memory, which a browser draws on as on another one, with WebGL by the processor. */
export interface Screen {
  /** Environment variables by which a program finds it. */
  readonly env: Readonly<Record<string, string>>;
  stop(): void;
}

export async function startScreen(): Promise<Screen> {
  const words = ["-displayfd", "1", "-screen", "0", "1280x800x24", "-nolisten", "tcp"];
  const xvfb = spawn(program, words, { stdio: ["ignore", "pipe", "ignore"] });
  const [display] = await once(xvfb.stdout as Readable, "data");
  const env = { DISPLAY: `:${String(display).trim()}`, LIBGL_ALWAYS_SOFTWARE: "1" };
  return { env, stop: () => void xvfb.kill() };
}
