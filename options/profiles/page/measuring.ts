import type { TelemetryRecord } from "../contract/telemetry-records.ts";
import { watchDrawing } from "./drawing.ts";
import { clipped, shortUrl } from "./text.ts";

type FrameWindow = Window & typeof globalThis;

/** Long animation frames (https://w3c.github.io/long-animation-frames/), which TypeScript does not know. */
interface LongFrameEntry extends PerformanceEntry {
  readonly blockingDuration: number;
  readonly scripts: readonly {
    readonly duration: number;
    readonly sourceURL: string;
    readonly sourceFunctionName: string;
    readonly invoker: string;
  }[];
}

interface MeasuringOptions {
  readonly add: (record: TelemetryRecord) => void;
  /** Whether frames are recorded now. */
  readonly isRunning: () => boolean;
  /** Called about once a second with the frames that the game drew in it. */
  readonly onRate: (framesPerSecond: number) => void;
}

const scriptsPerFrame = 5;
/** Frames of one record. */
const framesPerRecord = 120;
const longestMilliseconds = 24 * 3_600_000;

/** Milliseconds with a tenth, as a record may have them. */
function milliseconds(value: number): number {
  return Math.round(Math.min(Math.max(value, 0), longestMilliseconds) * 10) / 10;
}

/** TypeScript's library does not know the field yet; a browser without it, or of a file from its cache, says nothing. */
interface EncodedResourceTiming extends PerformanceResourceTiming {
  readonly contentEncoding?: string;
}

/**
 * Measures the game in a frame from outside. Nothing in its window is replaced but the methods that draw, by ones that note it first
 * (drawing.ts). A window that the frame loads later is another one.
 *
 * @returns a function that takes what is measured and not added yet
 */
export function measure(game: FrameWindow, { add, isRunning, onRate }: MeasuringOptions): () => void {
  /** A time of the game's window as one of this page. */
  const offset = game.performance.timeOrigin - performance.timeOrigin;
  const at = (time: number) => milliseconds(time + offset);
  const frames = measureFrames(game, { at, add, isRunning, onRate });
  observe<PerformanceEventTiming>(game, "event", ({ name, startTime, processingStart, duration }) =>
    add({
      type: "input",
      at: at(startTime),
      name: clipped(name, 40),
      delay: milliseconds(processingStart - startTime),
      duration: milliseconds(duration),
    }),
  );
  observe<EncodedResourceTiming>(game, "resource", (entry) =>
    add({
      type: "resource",
      at: at(entry.startTime),
      name: shortUrl(entry.name),
      initiator: clipped(entry.initiatorType, 40),
      duration: milliseconds(entry.duration),
      transferred: entry.transferSize,
      decoded: entry.decodedBodySize,
      ...(entry.contentEncoding && { encoding: clipped(entry.contentEncoding, 40) }),
    }),
  );
  let hasLoaded = false;
  observe<PerformanceNavigationTiming>(game, "navigation", (entry) => {
    // Chromium tells of it twice, and before the page has loaded.
    if (hasLoaded || entry.loadEventEnd === 0) return;
    hasLoaded = true;
    add({
      type: "load",
      at: at(entry.startTime),
      response: milliseconds(entry.responseStart),
      interactive: milliseconds(entry.domInteractive),
      loaded: milliseconds(entry.loadEventEnd),
    });
  });
  game.addEventListener("error", (event) => {
    // An element that could not be loaded has no message; its resource entry tells of it.
    if (!(event instanceof game.ErrorEvent)) return;
    const { message, filename, lineno } = event;
    add({
      type: "error",
      at: at(event.timeStamp),
      message: clipped(message, 500),
      source: shortUrl(filename),
      line: lineno,
    });
  });
  game.addEventListener("unhandledrejection", (event) => {
    const message = clipped(String(event.reason), 500);
    add({ type: "error", at: at(event.timeStamp), message, source: "", line: 0 });
  });
  return frames;
}

/** Chromium tells of long frames in the window at the top, those of the game in its frame too. */
export function measureLongFrames(add: MeasuringOptions["add"]): void {
  observe<LongFrameEntry>(window, "long-animation-frame", (entry) =>
    add({
      type: "long_frame",
      at: milliseconds(entry.startTime),
      duration: milliseconds(entry.duration),
      blocking: milliseconds(entry.blockingDuration),
      scripts: entry.scripts
        .toSorted((a, b) => b.duration - a.duration)
        .slice(0, scriptsPerFrame)
        .map(({ sourceURL, sourceFunctionName, invoker, duration }) => ({
          source: shortUrl(sourceURL),
          function: clipped(sourceFunctionName, 100),
          invoker: shortUrl(invoker),
          duration: milliseconds(duration),
        })),
    }),
  );
}

/** Observes entries of a type, also those before now; does nothing if the browser does not have it. */
function observe<Entry extends PerformanceEntry>(from: FrameWindow, type: string, take: (entry: Entry) => void): void {
  const { PerformanceObserver } = from;
  if (!PerformanceObserver.supportedEntryTypes.includes(type)) return;
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) take(entry as Entry);
  });
  observer.observe({ type, buffered: true, ...(type === "event" && { durationThreshold: 16 }) });
}

interface FrameOptions extends MeasuringOptions {
  readonly at: (time: number) => number;
}

/** A game that asks for a frame no later than this after the one before draws slowly; later, it had nothing to draw. */
const slowestFrameMilliseconds = 1_000;
/** A game that asks for its frames, and for this time draws in none of them, has nothing to draw either. */
const idleMilliseconds = 250;
/** The time without frames is told in pieces of this length, so that whoever waits for the profile sees that it goes on. */
const unmeasuredMilliseconds = 5_000;

/**
 * Measures the times between the frames that the game asks for and draws in: a game that asks for sixty a second and draws in each second one
 * has thirty. Whether it draws is only seen of a canvas; without one, each frame that is asked for counts. A page that is hidden draws none, which is no long frame. The window's
 * own frames come also if the game draws by a timer or in a worker: then the time is told as not measured.
 */
function measureFrames(game: FrameWindow, { at, add, isRunning, onRate }: FrameOptions): () => void {
  const hasAsked = frameRequests(game);
  const hasDrawn = watchDrawing(game);
  const isDrawnByWorker = onceASecond(() => hasWorkerCanvas(game), game.performance.now());
  let last: number | undefined;
  let firstFrameAt = 0;
  let durations: number[] = [];
  let second = { start: game.performance.now(), frames: 0 };
  let unmeasured: { readonly start: number; readonly reason: "no_request" | "worker" } | undefined;
  const take = () => {
    if (durations.length > 0) add({ type: "frames", at: at(firstFrameAt), durations });
    durations = [];
  };
  const tellUnmeasured = (now: number, shortest: number) => {
    if (unmeasured === undefined || now - unmeasured.start < shortest) return;
    const { start: from, reason } = unmeasured;
    add({ type: "unmeasured", at: at(from), duration: milliseconds(now - from), reason });
    unmeasured = { start: now, reason };
  };
  /** Ends what is measured: frames that come later do not follow these. */
  const interrupt = () => {
    take();
    [last, unmeasured] = [undefined, undefined];
  };
  const measureFrame = (now: number) => {
    tellUnmeasured(now, slowestFrameMilliseconds);
    unmeasured = undefined;
    if (last !== undefined) {
      if (durations.length === 0) firstFrameAt = last;
      durations.push(milliseconds(now - last));
      if (durations.length >= framesPerRecord) take();
    }
    last = now;
  };
  const passOver = (now: number, reason: "no_request" | "worker", patience = slowestFrameMilliseconds) => {
    if (last !== undefined && now - last < patience) return;
    take();
    if (unmeasured?.reason !== reason) {
      tellUnmeasured(now, slowestFrameMilliseconds);
      unmeasured = { start: last ?? now, reason };
    }
    last = undefined;
    tellUnmeasured(now, unmeasuredMilliseconds);
  };
  const tick = (now: number) => {
    game.requestAnimationFrame(tick);
    const isAsked = hasAsked();
    const isDrawn = hasDrawn(now);
    const reason = isDrawnByWorker(now) ? "worker" : isAsked ? undefined : "no_request";
    if (reason === undefined && isDrawn) second.frames += 1;
    if (now - second.start >= 1_000) {
      onRate((second.frames * 1_000) / (now - second.start));
      second = { start: now, frames: 0 };
    }
    if (!isRunning()) interrupt();
    else if (reason !== undefined) passOver(now, reason);
    else if (isDrawn) measureFrame(now);
    else passOver(now, "no_request", idleMilliseconds);
  };
  hasAsked();
  game.requestAnimationFrame(tick);
  game.document.addEventListener("visibilitychange", interrupt);
  return take;
}

/**
 * Tells whether the game has asked for a frame since the last call, also in frames of its own. Each request of a window gets the
 * next number (https://html.spec.whatwg.org/#animation-frames): one more than the last number here was the caller's own.
 */
function frameRequests(game: FrameWindow): () => boolean {
  const numbers = new WeakMap<Document, number>();
  const hasAsked = (shown: FrameWindow, own: number): boolean => {
    const number = shown.requestAnimationFrame(() => {});
    shown.cancelAnimationFrame(number);
    const lastNumber = numbers.get(shown.document) ?? number;
    numbers.set(shown.document, number);
    return number > lastNumber + 1 + own;
  };
  const hasAskedInside = (shown: FrameWindow): boolean =>
    Array.from({ length: shown.length }, (_, index) => shown[index] as FrameWindow)
      .map((inside) => {
        try {
          return [hasAsked(inside, 0), hasAskedInside(inside)].includes(true);
        } catch {
          // A frame of another origin cannot be looked into.
          return false;
        }
      })
      .includes(true);
  return () => [hasAsked(game, 1), hasAskedInside(game)].includes(true);
}

/** Whether a worker draws a canvas that takes half of the game's window or more. Firefox does not tell. */
function hasWorkerCanvas({ document, innerWidth, innerHeight }: FrameWindow): boolean {
  return [...document.querySelectorAll("canvas")].some(
    (canvas) => canvas.clientWidth * canvas.clientHeight * 2 >= innerWidth * innerHeight && isGivenAway(canvas),
  );
}

/** Whether a canvas was transferred: then every context is refused, also one that no browser has, which changes no other canvas. */
function isGivenAway(canvas: HTMLCanvasElement): boolean {
  try {
    canvas.getContext("svc-none");
    return false;
  } catch {
    return true;
  }
}

/** A function of the time that looks at most once a second, and responds as it last saw. */
function onceASecond(look: () => boolean, start: number): (now: number) => boolean {
  let [next, seen] = [start, false];
  return (now) => {
    if (now >= next) [next, seen] = [now + 1_000, look()];
    return seen;
  };
}
