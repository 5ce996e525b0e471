import { type Phase, type Progress, silent, type Tally } from "../../../publisher/progress.ts";
import { clock, grouped, hasColour, humanBytes, isScreen, styles } from "../text.ts";

/** The progress of a phase at one moment. */
export interface Snapshot {
  readonly phase: Phase;
  readonly done: Tally;
  readonly total: Tally;
  readonly bytesPerSecond: number;
  /** Undefined below 1 %, when it cannot be estimated. */
  readonly secondsLeft: number | undefined;
}

/**
 * Shows progress as NDJSON on standard output with `--json`; else on standard error, as a bar on a screen or as a line
 * every five seconds. Quiet: not at all.
 */
export function createProgress({ isJson, isQuiet = false }: { isJson: boolean; isQuiet?: boolean }): Progress {
  const { stderr, stdout, env } = process;
  if (isJson)
    return atIntervals(1_000, { show: (snapshot) => void stdout.write(`${JSON.stringify(asEvent(snapshot))}\n`) });
  if (isQuiet) return silent;
  if (!isScreen(stderr, env))
    return atIntervals(5_000, { show: (snapshot) => void stderr.write(`${asLine(snapshot)}\n`) });
  const { dim } = styles(hasColour(stderr, env));
  return atIntervals(100, {
    show: (snapshot) => void stderr.write(`\r\u001b[K${asBar(snapshot, stderr.columns || 80, dim)}`),
    clear: () => void stderr.write("\r\u001b[K"),
  });
}

/** Shows a snapshot at each interval; none if the phase finishes before the first one. */
function atIntervals(
  intervalMilliseconds: number,
  { show, clear }: { show(snapshot: Snapshot): void; clear?(): void },
) {
  let timer: NodeJS.Timeout | undefined;
  let current: { phase: Phase; total: Tally; began: number; files: number; bytes: number } | undefined;
  let isShown = false;
  const end = () => {
    clearInterval(timer);
    if (isShown) clear?.();
    isShown = false;
    current = undefined;
  };
  return {
    start(phase: Phase, total: Tally) {
      end();
      current = { phase, total, began: performance.now(), files: 0, bytes: 0 };
      timer = setInterval(() => {
        if (current === undefined) return;
        isShown = true;
        show(snapshotOf(current, performance.now()));
      }, intervalMilliseconds);
      timer.unref();
    },
    add({ files, bytes }: Tally) {
      if (current === undefined) return;
      current.files += files;
      current.bytes += bytes;
    },
    end,
  };
}

/** A file takes a request too, about as long as so many bytes: without them the bar is full while small files are left. */
const bytesOfRequest = 100_000;

/** Part that is done, from 0 to 1. */
function fractionOf(done: Tally, total: Tally): number {
  const weight = ({ files, bytes }: Tally) => bytes + files * bytesOfRequest;
  return Math.min(1, Math.max(0, weight(done) / (weight(total) || 1)));
}

function snapshotOf(
  { phase, total, began, files, bytes }: { phase: Phase; total: Tally; began: number; files: number; bytes: number },
  now: number,
): Snapshot {
  const seconds = (now - began) / 1_000;
  const bytesPerSecond = seconds > 0 ? bytes / seconds : 0;
  const fraction = fractionOf({ files, bytes }, total);
  const secondsLeft = fraction > 0.01 ? (seconds / fraction) * (1 - fraction) : undefined;
  return { phase, done: { files, bytes }, total, bytesPerSecond, secondsLeft };
}

export function asEvent({ phase, done, total, bytesPerSecond, secondsLeft }: Snapshot) {
  return {
    event: "progress",
    phase: phase.toLowerCase(),
    files: done.files,
    files_total: total.files,
    bytes: done.bytes,
    bytes_total: total.bytes,
    bytes_per_second: Math.round(bytesPerSecond),
    seconds_left: secondsLeft === undefined ? null : Math.ceil(secondsLeft),
  };
}

export function asLine({ phase, done, total, bytesPerSecond, secondsLeft }: Snapshot): string {
  const left = secondsLeft === undefined ? "" : `, ${clock(secondsLeft)} left`;
  if (phase === "Reading") return reading(done);
  const files = `${grouped(done.files)} of ${grouped(total.files)} files`;
  return `${phase}: ${files}, ${humanBytes(done.bytes)} of ${humanBytes(total.bytes)}, ${humanBytes(bytesPerSecond)}/s${left}`;
}

/** Text while a folder is read, whose number of files is known at the end. */
function reading({ files }: Tally): string {
  return `Reading folder… ${grouped(files)} files`;
}

/** One line that fits the terminal. The bar takes the room that is left; if that is too little, there is no bar. */
export function asBar(snapshot: Snapshot, columns: number, dim: (text: string) => string): string {
  const { phase, done, total, bytesPerSecond, secondsLeft } = snapshot;
  if (phase === "Reading") return reading(done).slice(0, Math.max(0, columns - 1));
  const left = secondsLeft === undefined ? "" : `  ${clock(secondsLeft)} left`;
  const numbers =
    `${grouped(done.files)}/${grouped(total.files)} files  ` +
    `${humanBytes(done.bytes)}/${humanBytes(total.bytes)}  ${humanBytes(bytesPerSecond)}/s${left}`;
  const width = Math.min(30, columns - phase.length - numbers.length - 7);
  if (width < 5) return `${phase}  ${numbers}`.slice(0, Math.max(0, columns - 1));
  const fraction = fractionOf(done, total);
  const full = Math.floor(width * fraction);
  return `${phase}  [${"#".repeat(full)}${dim("·".repeat(width - full))}]  ${numbers}`;
}
