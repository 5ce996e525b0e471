/** Files and bytes of a phase. */
export interface Tally {
  readonly files: number;
  readonly bytes: number;
}

export function tallyOf(files: readonly { readonly size: number }[]): Tally {
  return { files: files.length, bytes: files.reduce((sum, { size }) => sum + size, 0) };
}

export type Phase = "Reading" | "Unpacking" | "Hashing" | "Compressing" | "Comparing" | "Uploading";

/** Shows the progress of publishing. */
export interface Progress {
  start(phase: Phase, total: Tally): void;
  /** Adds to what is done. Negative bytes: a try failed and starts again. */
  add(done: Tally): void;
  /** More bytes are to do than was known. */
  grow?(bytes: number): void;
  /** Finishes the phase. */
  end(): void;
}

/** Progress that nobody sees. */
export const silent: Progress = { start: () => undefined, add: () => undefined, end: () => undefined };
