import type { Frame } from "../contract/profile-timeline.ts";

/** Width of a bar. */
export const binMilliseconds = 2;
/** The last bar has all that took this long or longer. */
const lastBin = 50;

/** Numbers of frames by their length: the first is of those under {@link binMilliseconds}. */
export function histogramOf(frames: readonly Frame[]): number[] {
  const counts = Array.from({ length: lastBin + 1 }, () => 0);
  for (const { duration } of frames) {
    const bin = binOf(duration);
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  return counts;
}

/** Range of times that a bar of the histogram has. */
export function binInWords(bin: number): string {
  const from = bin * binMilliseconds;
  return bin >= lastBin ? `${from} ms and more` : `${from} to ${from + binMilliseconds} ms`;
}

/** Index of the bar for frames of this length. */
export function binOf(milliseconds: number): number {
  return Math.min(lastBin, Math.floor(milliseconds / binMilliseconds));
}
