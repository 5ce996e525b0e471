import { type Frame, framesOf, longFrameMilliseconds, timelineOf } from "../contract/profile-timeline.ts";
import type { TelemetryRecord } from "../contract/telemetry-records.ts";
import { type ProfileSummary, summaryOf, whyUnmeasured } from "../contract/telemetry-summary.ts";

/* Numbers of a profile's page, computed from its records. Those are a stranger's: any number of them, with any text. */

type RecordOf<Type extends TelemetryRecord["type"]> = Extract<TelemetryRecord, { readonly type: Type }>;
type Script = RecordOf<"long_frame">["scripts"][number];

/** A frame that took long, with what the browser says about it; Chromium alone says anything. */
export interface LongFrame extends Frame {
  readonly told: RecordOf<"long_frame"> | undefined;
}

/** An error, as often as it came. */
export interface CountedError {
  readonly error: RecordOf<"error">;
  readonly count: number;
}

/** The files of the load, and how many came later. */
export interface Load {
  readonly document: RecordOf<"load"> | undefined;
  readonly files: readonly RecordOf<"resource">[];
  readonly later: number;
}

export interface Analysis {
  readonly device: RecordOf<"device"> | undefined;
  readonly frames: readonly Frame[];
  /** Undefined if no frame was recorded. */
  readonly summary: ProfileSummary | undefined;
  /** Why frames could not be seen, if they could not. */
  readonly unmeasured: ReturnType<typeof whyUnmeasured>;
  /** The longest ones, the longest first. */
  readonly longFrames: readonly LongFrame[];
  readonly marks: readonly RecordOf<"mark">[];
  readonly load: Load;
  readonly memory: readonly RecordOf<"memory">[];
  /** The most frequent first. */
  readonly errors: readonly CountedError[];
  /** The slowest first; one for the several events of one tap. */
  readonly slowInputs: readonly RecordOf<"input">[];
}

/** No page lists more of them. */
export const longFramesNamed = 500;
const slowInputsNamed = 20;

export function analysisOf(records: readonly TelemetryRecord[]): Analysis {
  const timeline = timelineOf(records);
  const frames = framesOf(timeline);
  return {
    device: only(timeline, "device")[0],
    frames,
    summary: summaryOf(records),
    unmeasured: whyUnmeasured(records),
    longFrames: longFramesOf(frames, only(timeline, "long_frame")),
    marks: only(timeline, "mark"),
    load: loadOf(timeline),
    memory: only(timeline, "memory").sort((a, b) => a.at - b.at),
    errors: countedErrors(only(timeline, "error")),
    slowInputs: tapsOf(only(timeline, "input")).slice(0, slowInputsNamed),
  };
}

function only<Type extends TelemetryRecord["type"]>(records: readonly TelemetryRecord[], type: Type) {
  return records.filter((record): record is RecordOf<Type> => record.type === type);
}

const isLong = ({ duration }: Frame) => duration >= longFrameMilliseconds;

/** The slowest event of each tap or key, the slowest first: the others of it wait for the same frame. */
function tapsOf(inputs: readonly RecordOf<"input">[]): RecordOf<"input">[] {
  const slowest: RecordOf<"input">[] = [];
  const overlaps = (a: RecordOf<"input">, b: RecordOf<"input">) => a.at < b.at + b.duration && b.at < a.at + a.duration;
  for (const input of inputs.toSorted((a, b) => b.duration - a.duration))
    if (!slowest.some((other) => overlaps(input, other))) slowest.push(input);
  return slowest;
}

function longFramesOf(frames: readonly Frame[], told: readonly RecordOf<"long_frame">[]): LongFrame[] {
  return frames
    .filter(isLong)
    .sort((a, b) => b.duration - a.duration)
    .slice(0, longFramesNamed)
    .map((frame) => ({ ...frame, told: mostOverlapping(frame, told) }));
}

/** The frame that the browser tells of begins with its work, which is not exactly when the frame before was drawn. */
function mostOverlapping(frame: Frame, told: readonly RecordOf<"long_frame">[]): LongFrame["told"] {
  let closest: LongFrame["told"];
  let most = 0;
  for (const each of told) {
    const overlap = Math.min(frame.at + frame.duration, each.at + each.duration) - Math.max(frame.at, each.at);
    if (overlap > most) [closest, most] = [each, overlap];
  }
  return closest;
}

/** The script that took most of a long frame. */
export function scriptOf({ told }: LongFrame): Script | undefined {
  return told?.scripts[0];
}

/** Name of a script: its function, else what called it. */
export function scriptName({ function: name, invoker, source }: Script): string {
  return name || invoker || source || "a script without a name";
}

/** Files that begin to load within this time after the load still belong to it: a game's own loading screen loads them. */
const afterLoadMilliseconds = 10_000;

function loadOf(timeline: readonly TelemetryRecord[]): Load {
  const [document] = only(timeline, "load");
  const all = only(timeline, "resource").sort((a, b) => a.at - b.at);
  const startedAt = document?.at ?? all[0]?.at ?? 0;
  const files = all.filter(({ at }) => at <= startedAt + (document?.loaded ?? 0) + afterLoadMilliseconds);
  return { document, files, later: all.length - files.length };
}

function countedErrors(errors: readonly RecordOf<"error">[]): CountedError[] {
  const groups = Map.groupBy(errors, ({ message, source, line }) => JSON.stringify([message, source, line]));
  return [...groups.values()]
    .flatMap((group) => (group[0] ? [{ error: group[0], count: group.length }] : []))
    .sort((a, b) => b.count - a.count);
}

/** Time without frames that makes a gap in the line. */
const gapMilliseconds = 1_000;

const maxBins = 300;
const minBinSeconds = 0.05;

/** The longest frame of each short time, of several profiles over the same seconds; null if there was none. */
export function linesOf(all: readonly (readonly Frame[])[]) {
  const ends = all.flatMap((frames) => frames.at(-1)?.at ?? 0);
  const width = Math.max(minBinSeconds, Math.max(...ends) / 1_000 / maxBins);
  const length = Math.floor(Math.max(...ends) / 1_000 / width) + 1;
  const values = all.map((frames) => {
    const longest = Array.from({ length }, (): number | null => null);
    for (const { at, duration } of frames) {
      const bin = Math.floor(at / 1_000 / width);
      longest[bin] = Math.max(longest[bin] ?? 0, duration);
    }
    return longest;
  });
  return { x: Array.from({ length }, (_, bin) => bin * width), values };
}

/** The times of frames over seconds, as a plot draws them; null is a gap. */
export function lineOf(frames: readonly Frame[]) {
  const x: number[] = [];
  const values: (number | null)[] = [];
  let end = frames[0]?.at ?? 0;
  for (const { at, duration } of frames) {
    if (at - end > gapMilliseconds) {
      x.push(end / 1_000);
      values.push(null);
    }
    x.push(at / 1_000);
    values.push(duration);
    end = at + duration;
  }
  return { x, values };
}
