import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/*
 * A game as an engine, a bundler or a person builds it. Its page counts how often it was opened in what it saves, and sets
 * `window.done` to what it did once it has drawn.
 */

export interface Build {
  readonly name: string;
  /** svc.toml beside the folder. */
  readonly settings?: string;
  write(folder: string): Promise<void> | void;
  /** A Firefox without a window has WebGL only if the machine has a graphics card. */
  readonly needsWebGl?: true;
  /** Played once and again, but not in three releases: it takes seconds to load. */
  readonly isLarge?: true;
  /** The one of games.test.ts and check.test.ts that starts it; both do if this is undefined, and lab/play starts every game. */
  readonly startedBy?: "games" | "check";
  /** Messages of the game itself on the console, whichever host serves it. */
  readonly complains?: RegExp;
  /** Browser in which it does not play, whichever host it has. */
  readonly notIn?: "Firefox";
  /** Fields of `window.done`, beside the number of times that the page was opened. */
  readonly does: Readonly<Record<string, unknown>>;
}

type Files = Readonly<Record<string, string | Buffer>>;

export function writeAll(folder: string, files: Files): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

/** A page with a script that has `finish` to tell what the game did. */
export function page(body: string, head = ""): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,">${head}
<script>
const plays = Number(localStorage.getItem("plays") ?? 0) + 1;
localStorage.setItem("plays", String(plays));
window.finish = (did) => { window.done = { plays, ...did }; };
addEventListener("unhandledrejection", ({ reason }) => window.finish({ failed: String(reason) }));
</script>
<body style="margin: 0">${body}</body></html>`;
}
