import { beforeEach, expect, test } from "@jest/globals";
import type { TelemetryRecord } from "../contract/telemetry-records.ts";
import { measure, measureLongFrames } from "./measuring.ts";

type GameWindow = Parameters<typeof measure>[0];

class ErrorEvent extends Event {
  readonly message = "a mistake";
  readonly filename = "https://game.example/game.js";
  readonly lineno = 6;
}

/** A window whose frames come, and whose entries are told, when the test says so. */
class Window extends EventTarget {
  readonly document = new Page();
  readonly ErrorEvent = ErrorEvent;
  readonly observed = new Map<string, { readonly tell: (entries: readonly object[]) => void; readonly how: object }>();
  readonly PerformanceObserver: object;
  readonly performance: { readonly timeOrigin: number; now(): number };

  /** @param lead how much later it begins than the page that measures, in ms */
  constructor(supportedEntryTypes: readonly string[], lead = 0) {
    super();
    const { observed } = this;
    this.performance = { timeOrigin: performance.timeOrigin + lead, now: () => 0 };
    this.PerformanceObserver = class {
      static readonly supportedEntryTypes = supportedEntryTypes;
      readonly #told: (list: { getEntries(): readonly object[] }) => void;
      constructor(told: (list: { getEntries(): readonly object[] }) => void) {
        this.#told = told;
      }
      observe({ type, ...how }: { readonly type: string }) {
        observed.set(type, { tell: (entries) => this.#told({ getEntries: () => entries }), how });
      }
    };
  }

  readonly [inside: number]: Window;
  readonly length: number = 0;
  readonly innerWidth = 300;
  readonly innerHeight = 200;
  readonly #requests = new Map<number, (now: number) => void>();
  #number = 0;

  requestAnimationFrame(tick: (now: number) => void): number {
    this.#number += 1;
    this.#requests.set(this.#number, tick);
    return this.#number;
  }

  cancelAnimationFrame(number: number): void {
    this.#requests.delete(number);
  }

  /** Draws frames at these times, for each of which the game has asked. */
  draw(...times: readonly number[]): void {
    for (const time of times) {
      this.requestAnimationFrame(() => {});
      this.pass(time);
    }
  }

  /** Frames come at these times, for which the game has not asked. */
  pass(...times: readonly number[]): void {
    for (const time of times) {
      const due = [...this.#requests.values()];
      this.#requests.clear();
      for (const tick of due) tick(time);
    }
  }
}

class Page extends EventTarget {
  canvases: readonly object[] = [];

  querySelectorAll(): readonly object[] {
    return this.canvases;
  }
}

const all = ["event", "resource", "navigation", "long-animation-frame"];
let [records, isRunning]: [TelemetryRecord[], boolean] = [[], true];

beforeEach(() => {
  [records, isRunning] = [[], true];
  Object.assign(globalThis, { location: new URL("https://game.example/.well-known/svc/profile") });
});

const add = (record: TelemetryRecord) => void records.push(record);

function measured(game = new Window(all)) {
  const take = measure(game as unknown as GameWindow, { add, isRunning: () => isRunning, onRate: () => {} });
  return { game, take };
}

/** The times between frames, record for record. */
const durations = () => records.map((record) => (record.type === "frames" ? record.durations : record.type));

test("the time in which the page is hidden is no frame", () => {
  const { game, take } = measured();
  game.draw(0, 16, 33);
  game.document.dispatchEvent(new Event("visibilitychange"));
  game.document.dispatchEvent(new Event("visibilitychange"));
  game.draw(9_000, 9_016);
  take();
  expect(durations()).toEqual([[16, 17], [16]]);
  expect(records.map(({ at }) => at)).toEqual([0, 9_000]);
});

/** These times in milliseconds, each second sixty. */
const ticks = (from: number, to: number) =>
  Array.from({ length: Math.round(((to - from) * 60) / 1_000) }, (_, index) => from + (index * 1_000) / 60);

test("frames of the window that the game does not ask for are no frames of the game, and are told as not measured", () => {
  const { game, take } = measured();
  game.pass(...ticks(0, 11_000));
  game.draw(11_000, 11_016);
  take();
  expect(records).toEqual([
    { type: "unmeasured", at: 0, duration: 5_000, reason: "no_request" },
    { type: "unmeasured", at: 5_000, duration: 5_000, reason: "no_request" },
    { type: "unmeasured", at: 10_000, duration: 1_000, reason: "no_request" },
    { type: "frames", at: 11_000, durations: [16] },
  ]);
});

test("a game that asks for each sixth frame has those, and one that rests for more than a second no long frame", () => {
  const { game, take } = measured();
  for (const from of [0, 100, 200]) {
    game.draw(from);
    game.pass(...ticks(from + 17, from + 100));
  }
  game.pass(...ticks(300, 1_500));
  game.draw(1_500, 1_516);
  take();
  expect(durations()).toEqual([[100, 100], "unmeasured", [16]]);
  expect(records[1]).toMatchObject({ at: 200, duration: 1_300 });
});

/** A window whose large canvas can be painted. */
function withCanvas(clientHeight = 200) {
  const calls: unknown[][] = [];
  class CanvasRenderingContext2D {
    readonly canvas = { clientWidth: 300, clientHeight };
    fillRect(...values: readonly number[]) {
      calls.push([...values]);
      return "filled";
    }
  }
  const game = Object.assign(new Window(all), { CanvasRenderingContext2D });
  const context = new CanvasRenderingContext2D();
  return { ...measured(game), context, calls, paint: () => context.fillRect(1, 2, 3, 4) };
}

test("a game that asks for each frame and draws in each second one has half of them", () => {
  const { game, take, paint, calls } = withCanvas();
  for (const [index, time] of ticks(0, 1_000).entries()) {
    if (index % 2 === 0) expect(paint()).toBe("filled");
    game.draw(time);
  }
  take();
  expect(durations()).toEqual([Array(29).fill(33.3)]);
  expect(calls[0]).toEqual([1, 2, 3, 4]);
});

test("a game that draws only if something changes has no long frame while nothing does", () => {
  const { game, take, paint } = withCanvas();
  const play = (from: number, to: number) => {
    for (const time of ticks(from, to)) {
      paint();
      game.draw(time);
    }
  };
  play(0, 100);
  game.draw(...ticks(100, 600));
  play(600, 700);
  game.draw(...ticks(700, 3_700));
  play(3_700, 3_800);
  take();
  expect(durations()).toEqual([[16.7, 16.7, 16.7, 16.7, 16.7], expect.anything(), "unmeasured", expect.anything()]);
});

test("a frame that takes long while the game draws is a long one", () => {
  const { game, take, paint } = withCanvas();
  for (const time of [0, 16, 716, 732]) {
    paint();
    game.draw(time);
  }
  take();
  expect(durations()).toEqual([[16, 700, 16]]);
});

test("a small canvas does not tell what a page draws by other means", () => {
  const { game, take, paint } = withCanvas(90);
  paint();
  game.draw(0, 16, 32);
  paint();
  game.draw(48);
  take();
  expect(durations()).toEqual([[16, 16, 16]]);
});

test("a game that stops the page for two seconds has a frame of two seconds", () => {
  const { game, take } = measured();
  game.draw(0, 16, 2_016);
  take();
  expect(durations()).toEqual([[16, 2_000]]);
});

test("frames that are asked for in a frame of the game's own are the game's", () => {
  const inside = new Window(all);
  const foreign = {
    get document(): never {
      throw new Error("It has another origin");
    },
  };
  const { game, take } = measured(Object.assign(new Window(all), { 0: foreign, 1: inside, length: 2 }));
  for (const time of [0, 20, 40]) {
    inside.draw(time);
    game.pass(time);
  }
  take();
  expect(durations()).toEqual([[20, 20]]);
});

test.each([
  [300, 100, true, [["frames", "unmeasured"]]],
  [300, 99, true, [["frames"]]],
  [300, 200, false, [["frames"]]],
])("a canvas of %i × %i pixels, given to a worker: %s", (clientWidth, clientHeight, isGivenAway, [types]) => {
  const { game, take } = measured();
  game.draw(...ticks(0, 500));
  const getContext = (id: string) => {
    expect(["2d", "webgl", "webgl2", "webgpu", "bitmaprenderer"]).not.toContain(id);
    if (isGivenAway) throw new Error("InvalidStateError");
    return null;
  };
  game.document.canvases = [{ clientWidth, clientHeight, getContext }];
  game.draw(...ticks(500, 8_500));
  take();
  expect([...new Set(records.map(({ type }) => type))]).toEqual(types);
  for (const record of records) if (record.type === "unmeasured") expect(record.reason).toBe("worker");
});

test("the time in which measuring is stopped is not counted", () => {
  const { game, take } = measured();
  game.draw(0, 16);
  isRunning = false;
  game.draw(32, 48);
  isRunning = true;
  game.draw(64, 84);
  take();
  expect(durations()).toEqual([[16], [20]]);
});

test("a record has 120 frames at most, the next one follows it, and what was taken is not taken again", () => {
  const { game, take } = measured();
  game.draw(...Array.from({ length: 122 }, (_, index) => index * 10));
  take();
  take();
  expect(records.map(({ at }) => at)).toEqual([0, 1_200]);
  expect(durations().map(({ length }) => length)).toEqual([120, 1]);
});

test("times of the game's window are those of the page that measures, and none is before it", () => {
  const { game, take } = measured(new Window(all, 500));
  game.observed.get("navigation")?.tell([{ startTime: 0, responseStart: -1, domInteractive: 40.04, loadEventEnd: 90 }]);
  game.draw(100, 116.68);
  take();
  expect(records).toEqual([
    { type: "load", at: 500, response: 0, interactive: 40, loaded: 90 },
    { type: "frames", at: 600, durations: [16.7] },
  ]);
  const early = measured(new Window(all, -1_000));
  early.game.draw(100, 116);
  early.take();
  expect(records.at(-1)).toMatchObject({ at: 0, durations: [16] });
});

test("what came before it looked is told too, and inputs from 16 ms on", () => {
  const { game } = measured();
  const own = new Window(all);
  Object.assign(globalThis, { window: own });
  measureLongFrames(add);
  const buffered = { buffered: true };
  expect([...game.observed].map(([type, { how }]) => [type, how])).toEqual([
    ["event", { ...buffered, durationThreshold: 16 }],
    ["resource", buffered],
    ["navigation", buffered],
  ]);
  expect([...own.observed].map(([type, { how }]) => [type, how])).toEqual([["long-animation-frame", buffered]]);
});

test("what a browser does not have is not asked for", () => {
  expect([...measured(new Window(["resource"])).game.observed.keys()]).toEqual(["resource"]);
});

test("a long frame names the five scripts that took most of it, the longest first", () => {
  const own = new Window(all);
  Object.assign(globalThis, { window: own });
  measureLongFrames(add);
  const script = (duration: number) => ({
    ...{ duration, sourceURL: `https://game.example/${duration}.js`, sourceFunctionName: "f", invoker: "TimerHandler" },
  });
  const scripts = [5, 90, 7, 6, 8, 20].map(script);
  own.observed.get("long-animation-frame")?.tell([{ startTime: 10, duration: 140, blockingDuration: 90, scripts }]);
  const [record] = records;
  if (record?.type !== "long_frame") throw new Error("No long frame was added");
  expect(record.scripts.map(({ source }) => source)).toEqual(["/90.js", "/20.js", "/8.js", "/7.js", "/6.js"]);
  expect(record).toMatchObject({ at: 10, duration: 140, blocking: 90 });
});

test("an input says how long it waited for the game's code and for the next frame, a file how much of it came, and in which encoding", () => {
  const { game } = measured();
  game.observed.get("event")?.tell([{ name: "keydown", startTime: 10, processingStart: 34, duration: 72 }]);
  const file = { name: "https://game.example/a.js", initiatorType: "script", startTime: 5, duration: 20 };
  game.observed.get("resource")?.tell([
    { ...file, transferSize: 300, decodedBodySize: 900 },
    { ...file, transferSize: 30, decodedBodySize: 900, contentEncoding: "dcz" },
    { ...file, transferSize: 900, decodedBodySize: 900, contentEncoding: "" },
  ]);
  const seen = { type: "resource", at: 5, name: "/a.js", initiator: "script", duration: 20, decoded: 900 };
  expect(records).toEqual([
    { type: "input", at: 10, name: "keydown", delay: 24, duration: 72 },
    { ...seen, transferred: 300 },
    { ...seen, transferred: 30, encoding: "dcz" },
    { ...seen, transferred: 900 },
  ]);
});

test("the page's load is recorded once, when it has loaded: Chromium tells of it before too", () => {
  const { game } = measured();
  for (const loadEventEnd of [0, 90, 90])
    game.observed.get("navigation")?.tell([{ startTime: 0, responseStart: 10, domInteractive: 40, loadEventEnd }]);
  expect(records).toEqual([{ type: "load", at: 0, response: 10, interactive: 40, loaded: 90 }]);
});

test("no URL has its fragment, where the grant is", () => {
  const own = new Window(all);
  Object.assign(globalThis, { window: own });
  measureLongFrames(add);
  const url = "https://game.example/.well-known/svc/profile#tgr_secret";
  const scripts = [{ duration: 9, sourceURL: url, sourceFunctionName: "", invoker: url }];
  const handler = {
    duration: 8,
    sourceURL: "https://cdn.example/a.js#b",
    sourceFunctionName: "f",
    invoker: "A#b.onclick",
  };
  const frame = { startTime: 10, duration: 140, blockingDuration: 90, scripts: [...scripts, handler] };
  own.observed.get("long-animation-frame")?.tell([frame]);
  const path = "/.well-known/svc/profile";
  expect(records).toMatchObject([
    {
      scripts: [
        { source: path, invoker: path },
        { source: "https://cdn.example/a.js", invoker: "A#b.onclick" },
      ],
    },
  ]);
});

test("an error and a rejection are recorded, and not an element that could not be loaded", () => {
  const { game } = measured();
  game.dispatchEvent(new Event("error"));
  game.dispatchEvent(new ErrorEvent("error"));
  game.dispatchEvent(Object.assign(new Event("unhandledrejection"), { reason: new Error("rejected") }));
  expect(records).toMatchObject([
    { type: "error", message: "a mistake", source: "/game.js", line: 6 },
    { type: "error", message: "Error: rejected", source: "", line: 0 },
  ]);
});
