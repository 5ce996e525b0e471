import { bytesInWords, counted, number } from "../../../dashboard/src/format.ts";
import type { Analysis } from "./analysis.ts";

/** A number of a profile that is better the lower it is; null if it was not measured. */
interface Figure {
  readonly title: string;
  readonly of: (analysis: Analysis) => number | null;
  readonly inWords: (value: number) => string;
  /** A difference up to this is none. */
  readonly tolerance: number;
}

const milliseconds = (value: number) => `${number(value, 1)} ms`;
const frameTime = (value: number) => `${milliseconds(value)} · ${framesPerSecondOf(value)} fps`;
/** A frame of no time is a clock's mistake. */
const framesPerSecondOf = (milliseconds: number) => Math.round(1_000 / Math.max(1, milliseconds));
const rate = (value: number) => number(value, 1);
const percent = (share: number) => `${number(share * 100, 1)} %`;

const figures: readonly Figure[] = [
  { title: "p50", of: ({ summary }) => summary?.p50 ?? null, inWords: frameTime, tolerance: 0.5 },
  { title: "p95", of: ({ summary }) => summary?.p95 ?? null, inWords: frameTime, tolerance: 0.5 },
  { title: "p99", of: ({ summary }) => summary?.p99 ?? null, inWords: frameTime, tolerance: 1 },
  { title: "Longest frame", of: ({ summary }) => summary?.longest ?? null, inWords: milliseconds, tolerance: 5 },
  { title: "Over 16.7 ms", of: ({ summary }) => summary?.over16 ?? null, inWords: percent, tolerance: 0.01 },
  { title: "Time over 33 ms", of: ({ summary }) => summary?.timeOver33 ?? null, inWords: percent, tolerance: 0.01 },
  { title: "Hitches a minute", of: ({ summary }) => summary?.hitchesPerMinute ?? null, inWords: rate, tolerance: 0.5 },
  { title: "Page loaded after", of: ({ load }) => load.document?.loaded ?? null, inWords: milliseconds, tolerance: 50 },
  { title: "Files of the load", of: sizeOfLoad, inWords: bytesInWords, tolerance: 1_024 },
  { title: "Memory at most", of: maxMemory, inWords: bytesInWords, tolerance: 1_048_576 },
  { title: "Errors", of: errorsOf, inWords: (value) => counted(value, "error"), tolerance: 0 },
];

/** A share by which two measurements of the same may differ. */
const relativeTolerance = 0.05;

/** A row of the table of one profile, or of two beside each other. */
export interface Row {
  readonly title: string;
  readonly value: string;
  /** Value of the other profile. */
  readonly other: string;
  /** Rating of this profile beside the other; undefined if one of them has no such number. */
  readonly change: "worse" | "better" | "the same" | undefined;
}

/** The numbers of a profile that at least one of both has, beside those of the other. */
export function rowsOf(analysis: Analysis, other?: Analysis): Row[] {
  return figures.flatMap((figure) => {
    const [value, otherValue] = [figure.of(analysis), other ? figure.of(other) : null];
    if (value === null && otherValue === null) return [];
    const inWords = (one: number | null) => (one === null ? "–" : figure.inWords(one));
    return [
      {
        title: figure.title,
        value: inWords(value),
        other: inWords(otherValue),
        change: change(figure, value, otherValue),
      },
    ];
  });
}

function change({ tolerance }: Figure, value: number | null, before: number | null): Row["change"] {
  if (value === null || before === null) return undefined;
  const difference = value - before;
  if (Math.abs(difference) <= Math.max(tolerance, before * relativeTolerance)) return "the same";
  return difference > 0 ? "worse" : "better";
}

function sizeOfLoad({ load: { files } }: Analysis): number | null {
  return files.length === 0 ? null : files.reduce((sum, { decoded }) => sum + decoded, 0);
}

function maxMemory({ memory }: Analysis): number | null {
  return memory.length === 0 ? null : memory.reduce((most, { bytes }) => Math.max(most, bytes), 0);
}

function errorsOf({ errors }: Analysis): number {
  return errors.reduce((sum, { count }) => sum + count, 0);
}
