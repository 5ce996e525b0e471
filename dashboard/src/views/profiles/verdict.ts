import { counted, number } from "../../format.ts";
import type { Analysis } from "./analysis.ts";

/** A profile in a sentence. */
interface Verdict {
  /** Frame rate of the median frame. */
  readonly framesPerSecond: number;
  /** Share of frames that came in time for a display of 60 Hz: from 0 to 1. */
  readonly share: number;
  readonly title: string;
  readonly facts: readonly string[];
}

/** Frames a second: players see no difference above the first number, and call it slow below the second. */
const smooth = 50;
const playable = 28;

/** Undefined if no frame was measured. A hitch is a frame of 50 ms or more, which players notice. */
export function verdictOf({ summary, hitches, frames }: Analysis): Verdict | undefined {
  if (summary === undefined) return undefined;
  const framesPerSecond = framesPerSecondOf(summary.p50);
  const word = framesPerSecond >= smooth ? "Smooth" : framesPerSecond >= playable ? "Playable" : "Slow";
  const first = frames[0];
  return {
    framesPerSecond,
    share: 1 - summary.over16,
    title: hitches > 0 ? `${word}, with ${counted(hitches, "hitch", "hitches")}` : word,
    facts: [
      `worst frame ${number(summary.longest)} ms`,
      ...(first ? [`first frame after ${number(first.at / 1_000, 1)} s`] : []),
    ],
  };
}

/** A frame of no time is a clock's mistake. */
export function framesPerSecondOf(milliseconds: number): number {
  return Math.round(1_000 / Math.max(1, milliseconds));
}

/** A device without its graphics card: "Firefox 140 on Android". */
export function shortDevice(device: string): string {
  return device.split(", ", 1)[0] ?? device;
}
