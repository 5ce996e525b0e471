import { framesOf, timelineOf } from "./profile-timeline.ts";
import type { TelemetryRecord } from "./telemetry-records.ts";

/*
 * A profile as a trace that Perfetto and the DevTools of browsers open: https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
 */

interface TraceEvent {
  readonly name: string;
  readonly cat: string;
  /** X: with a duration; I: at one time; b and e: begin and end of what may overlap others; C: a counter; M: a name. */
  readonly ph: "X" | "I" | "b" | "e" | "C" | "M";
  readonly pid: number;
  readonly tid: number;
  /** Microseconds, as `dur` is. */
  readonly ts: number;
  readonly dur?: number;
  readonly s?: "g";
  readonly id?: string;
  readonly args: Readonly<Record<string, unknown>>;
}

export interface ChromeTrace {
  readonly displayTimeUnit: "ms";
  readonly traceEvents: readonly TraceEvent[];
}

const threads = ["Frames", "Long frames", "Input", "Files"] as const;
type Thread = (typeof threads)[number];

/** DevTools show what is at one time, and what may overlap others, if it is of this category; Perfetto shows every category. */
const userTiming = "blink.user_timing";

const microseconds = (milliseconds: number) => Math.round(milliseconds * 1_000);

function eventBase(thread: Thread, at: number) {
  return { cat: thread.toLowerCase(), pid: 1, tid: threads.indexOf(thread) + 1, ts: microseconds(at) };
}

/** A profile's records as a trace. Every frame is in it; so is all else that has a time. */
export function chromeTraceOf(records: readonly TelemetryRecord[]): ChromeTrace {
  const timeline = timelineOf(records);
  const frames = framesOf(timeline).map(({ at, duration }) =>
    complete("Frames", at, { name: "Frame", duration, args: {} }),
  );
  return {
    displayTimeUnit: "ms",
    traceEvents: [...names(), ...frames, ...timeline.flatMap((record, index) => eventsOf(record, `0x${index}`))],
  };
}

function names(): TraceEvent[] {
  const name = (kind: string, tid: number, text: string): TraceEvent => ({
    ...{ name: kind, cat: "__metadata", ph: "M", pid: 1, tid, ts: 0, args: { name: text } },
  });
  return [name("process_name", 0, "Game"), ...threads.map((thread, index) => name("thread_name", index + 1, thread))];
}

interface Span {
  readonly name: string;
  readonly duration: number;
  readonly args: TraceEvent["args"];
}

function complete(thread: Thread, at: number, { name, duration, args }: Span): TraceEvent {
  return { name, ph: "X", ...eventBase(thread, at), dur: microseconds(duration), args };
}

function overlapping(thread: Thread, at: number, { name, duration, args, id }: Span & { id: string }): TraceEvent[] {
  return [
    { name, ph: "b", ...eventBase(thread, at), cat: userTiming, id, args },
    { name, ph: "e", ...eventBase(thread, at + duration), cat: userTiming, id, args: {} },
  ];
}

function eventsOf(record: TelemetryRecord, id: string): TraceEvent[] {
  const { type, at, ...args } = record;
  const instant = (name: string): TraceEvent[] => [
    { name, ph: "I", ...eventBase("Frames", at), cat: userTiming, s: "g", args },
  ];
  switch (record.type) {
    case "frames":
      return [];
    case "long_frame":
      return [complete("Long frames", at, { name: "Long frame", duration: record.duration, args })];
    case "input":
      return overlapping("Input", at, { name: record.name, duration: record.duration, args, id });
    case "resource":
      return overlapping("Files", at, { name: record.name, duration: record.duration, args, id });
    case "load":
      return overlapping("Files", at, { name: "Load of the page", duration: record.loaded, args, id });
    case "memory":
      return [{ name: "Memory", ph: "C", ...eventBase("Frames", at), args: { bytes: record.bytes } }];
    case "mark":
      return instant(record.name);
    case "error":
      return instant(`Error: ${record.message}`);
    default:
      return instant(type);
  }
}
