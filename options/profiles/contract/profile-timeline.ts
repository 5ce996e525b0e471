import type { TelemetryRecord } from "./telemetry-records.ts";

/** A frame: milliseconds from the profile's beginning, and how long it took. */
export interface Frame {
  readonly at: number;
  readonly duration: number;
}

/** Duration from which on a frame is a long one: https://w3c.github.io/long-animation-frames/ says so too. */
export const longFrameMilliseconds = 50;

/**
 * The records of a profile on one time line. The times of each opening of the page begin at zero, with its device; here they begin when the
 * opening before has ended.
 */
export function timelineOf(records: readonly TelemetryRecord[]): TelemetryRecord[] {
  let offset = 0;
  let end = 0;
  return records.map((record) => {
    if (record.type === "device") offset = end;
    const moved = { ...record, at: offset + record.at };
    end = Math.max(end, endOf(moved));
    return moved;
  });
}

/** When what a record tells of was over. */
function endOf(record: TelemetryRecord): number {
  if (record.type === "frames") return record.at + record.durations.reduce((sum, each) => sum + each, 0);
  if (record.type === "load") return record.at + record.loaded;
  return record.at + ("duration" in record ? record.duration : 0);
}

/** All frames of a time line, in the order in which they began. */
export function framesOf(timeline: readonly TelemetryRecord[]): Frame[] {
  const frames: Frame[] = [];
  for (const record of timeline) {
    if (record.type !== "frames") continue;
    let { at } = record;
    for (const duration of record.durations) {
      frames.push({ at, duration });
      at += duration;
    }
  }
  return frames.sort((a, b) => a.at - b.at);
}
