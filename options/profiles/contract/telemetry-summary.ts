import { longFrameMilliseconds } from "./profile-timeline.ts";
import type { TelemetryRecord } from "./telemetry-records.ts";

/** Profile in numbers. Times are in milliseconds, shares from 0 to 1. */
export interface ProfileSummary {
  readonly frames: number;
  /** Time during which frames were recorded. */
  readonly seconds: number;
  /** Time during which the game's drawing could not be seen. */
  readonly unmeasuredSeconds: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly longest: number;
  /** The share of frames that took longer than 16.7 ms, and than 33.4 ms: half a millisecond more, because clocks are coarse. */
  readonly over16: number;
  readonly over33: number;
  /** On average: all frames by all their time. */
  readonly framesPerSecond: number;
  /** Frames of 50 ms or more, which players notice. */
  readonly hitches: number;
  readonly hitchesPerMinute: number;
  /** The share of the time that passed in frames that took longer than 33.4 ms. */
  readonly timeOver33: number;
  readonly errors: number;
  readonly marks: number;
}

/** The time within which `share` of these lie (nearest rank); 0 if there is none. */
function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}

function frameTimesOf(records: readonly TelemetryRecord[]): number[] {
  return records.flatMap((record) => (record.type === "frames" ? record.durations : []));
}

const sum = (milliseconds: readonly number[]) => milliseconds.reduce((total, each) => total + each, 0);
const rounded = (value: number) => Math.round(value * 10) / 10;
const secondsOf = (milliseconds: readonly number[]) => rounded(sum(milliseconds) / 1_000);

/** 33.4 ms, half a millisecond more. */
const slow = 33.9;

/** The summary of a profile's records; undefined if no frame was recorded. */
export function summaryOf(records: readonly TelemetryRecord[]): ProfileSummary | undefined {
  const times = frameTimesOf(records).toSorted((a, b) => a - b);
  if (times.length === 0) return undefined;
  const shareOver = (limit: number) => times.filter((time) => time > limit).length / times.length;
  // Frames of no time are a clock's mistake.
  const milliseconds = Math.max(1, sum(times));
  const hitches = times.filter((time) => time >= longFrameMilliseconds).length;
  const count = (type: TelemetryRecord["type"]) => records.filter((record) => record.type === type).length;
  const unmeasured = records.flatMap((record) => (record.type === "unmeasured" ? record.duration : []));
  return {
    frames: times.length,
    seconds: secondsOf(times),
    unmeasuredSeconds: secondsOf(unmeasured),
    p50: percentile(times, 0.5),
    p95: percentile(times, 0.95),
    p99: percentile(times, 0.99),
    longest: percentile(times, 1),
    over16: shareOver(17.2),
    over33: shareOver(slow),
    framesPerSecond: rounded((times.length * 1_000) / milliseconds),
    hitches,
    hitchesPerMinute: rounded((hitches * 60_000) / milliseconds),
    timeOver33: sum(times.filter((time) => time > slow)) / milliseconds,
    errors: count("error"),
    marks: count("mark"),
  };
}

/** Why frames could not be seen, if they could not; a worker's canvas is the reason that a person can do least about. */
export function whyUnmeasured(records: readonly TelemetryRecord[]): "no_request" | "worker" | undefined {
  const reasons = records.flatMap((record) => (record.type === "unmeasured" ? record.reason : []));
  return reasons.includes("worker") ? "worker" : reasons[0];
}
