import type { TelemetryRecord } from "../contract/telemetry-records.ts";
import { deviceRecord } from "./device.ts";
import { measure, measureLongFrames } from "./measuring.ts";
import { Sender } from "./sender.ts";

/*
 * The program of the page that measures a game, at /.well-known/svc/profile of the game's own origin (options/profiles/functions/profile-page.ts).
 * Nothing is injected into the game: it is in a frame of the same origin, which this page looks into.
 */

const memoryMilliseconds = 20_000;
const lookMilliseconds = 20;
const fragment = location.hash.slice(1);
// Nobody who sees the address bar, the history or the game later finds the grant there.
history.replaceState(null, "", location.pathname);
// Another link in the same tab differs in its fragment alone, for which a browser loads nothing.
addEventListener("hashchange", () => {
  if (location.hash !== "") location.reload();
});

function element<Type extends HTMLElement>(id: string): Type {
  return document.getElementById(id) as Type;
}

const [start, stop, mark] = ["start", "stop", "mark"].map((id) => element<HTMLButtonElement>(id)) as [
  HTMLButtonElement,
  HTMLButtonElement,
  HTMLButtonElement,
];

const stateText = () =>
  isRunning ? measuringNow : "Done: nothing is measured any more. Close this page, or go on with Start.";
const measuringNow =
  "The developer sees frame times, load times, errors and this device’s browser and graphics, nothing that you type. Play; Stop ends it.";

/** The overlay is dragged by its handle; a click, also of the keyboard, moves it to the next corner. */
function makeMovable(): void {
  const [overlay, handle] = [element("overlay"), element("move")];
  const place = (style: Partial<Record<"top" | "right" | "bottom" | "left", string>>) =>
    Object.assign(overlay.style, { top: "auto", right: "auto", bottom: "auto", left: "auto", ...style });
  const corners = [
    { top: "8px", right: "8px" },
    { bottom: "8px", right: "8px" },
    { bottom: "8px", left: "8px" },
    { top: "8px", left: "8px" },
  ];
  let corner = 0;
  let isDragged = false;
  handle.addEventListener("pointerdown", ({ pointerId }) => {
    handle.setPointerCapture(pointerId);
    isDragged = false;
  });
  handle.addEventListener("pointermove", ({ pointerId, movementX, movementY }) => {
    if (!handle.hasPointerCapture(pointerId) || (movementX === 0 && movementY === 0)) return;
    isDragged = true;
    const { left, top, width, height } = overlay.getBoundingClientRect();
    const within = (value: number, most: number) => `${Math.max(0, Math.min(value, most))}px`;
    place({ left: within(left + movementX, innerWidth - width), top: within(top + movementY, innerHeight - height) });
  });
  handle.addEventListener("click", () => {
    // A drag ends with a click too.
    if (isDragged) return;
    corner = (corner + 1) % corners.length;
    place(corners[corner] ?? {});
  });
}

function say(text: string): void {
  element("status").textContent = text;
}

function end(reason: string): void {
  isRunning = false;
  for (const button of [start, stop, mark]) button.disabled = true;
  say(reason);
}

makeMovable();
let isRunning = true;
const [grant = "", release = ""] = fragment.split(".");
if (grant.startsWith("tgr_")) profile().catch((error: unknown) => end(String(error)));
else end("This page needs a link that was made for it: svc profile, or the game's page in the dashboard, makes one.");

async function profile(): Promise<void> {
  const api = document.querySelector<HTMLMetaElement>('meta[name="svc-api"]')?.content ?? "";
  if ((await playedRelease()) !== release) return end("Another release is played here by now. Make a new link.");
  const sender = new Sender({
    api,
    grant,
    onEnd: end,
    onNetwork: (isThere) => say(isThere ? stateText() : "The service cannot be reached. Sending goes on when it can."),
  });
  const at = () => Math.round(performance.now() * 10) / 10;
  sender.push(deviceRecord(at()));
  sender.push({ type: "start", at: at() });
  sender.start();
  measureMemory((bytes) => sender.push({ type: "memory", at: at(), bytes }));
  const add = (record: TelemetryRecord) => {
    if (isRunning) sender.push(record);
  };
  measureLongFrames(add);
  let take = () => {};
  watchFrame((game) => {
    take();
    take = measure(game, {
      add,
      isRunning: () => isRunning,
      onRate: (rate) => {
        element("rate").textContent = rate > 0 ? `${Math.round(rate)} fps` : "The game asks for no frames here";
      },
    });
  });
  const run = (isOn: boolean) => {
    if (isOn === isRunning) return;
    take();
    isRunning = isOn;
    [start.disabled, stop.disabled] = [isOn, !isOn];
    say(stateText());
    sender.push({ type: isOn ? "start" : "stop", at: at() });
  };
  start.addEventListener("click", () => run(true));
  stop.addEventListener("click", () => run(false));
  let marks = 0;
  mark.addEventListener("click", () => {
    marks += 1;
    sender.push({ type: "mark", at: at(), name: `Mark ${marks}` });
    say(`Mark ${marks}`);
  });
  [start.disabled, stop.disabled, mark.disabled] = [true, false, false];
  say(stateText());
  const leave = () => {
    take();
    sender.flush();
  };
  addEventListener("pagehide", leave);
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) leave();
  });
}

/** The name of the release that a visit has here. */
async function playedRelease(): Promise<string> {
  const response = await fetch("/.well-known/svc/release");
  const { visit } = (await response.json()) as { visit: string };
  return visit;
}

/** Opens the game in a frame and calls `found` for each window that it loads, as early as it is there. */
function watchFrame(found: (game: Window & typeof globalThis) => void): void {
  const frame = document.createElement("iframe");
  frame.title = "The game";
  frame.allow = "autoplay; fullscreen; gamepad";
  frame.src = "/";
  document.body.prepend(frame);
  let lastDocument: Document | undefined;
  const look = () => {
    const shown = documentOf(frame);
    if (shown === undefined) return end("This game leaves its own origin in the frame, where nothing can be measured.");
    if (shown === lastDocument || shown === null || shown.URL === "about:blank" || shown.defaultView === null)
      return undefined;
    lastDocument = shown;
    return found(shown.defaultView);
  };
  setInterval(look, lookMilliseconds);
  frame.addEventListener("load", () => {
    look();
    frame.contentWindow?.focus();
  });
}

/** Undefined if the frame shows another origin. */
function documentOf(frame: HTMLIFrameElement): Document | null | undefined {
  try {
    return frame.contentWindow?.document ?? null;
  } catch {
    return undefined;
  }
}

/** https://wicg.github.io/performance-measure-memory/, of an isolated page alone. */
interface MemoryPerformance extends Performance {
  measureUserAgentSpecificMemory?(): Promise<{ readonly bytes: number }>;
}

function measureMemory(take: (bytes: number) => void): void {
  const { measureUserAgentSpecificMemory: measureIt }: MemoryPerformance = performance;
  if (!crossOriginIsolated || measureIt === undefined) return;
  const once = async () => {
    const { bytes } = await measureIt.call(performance);
    take(bytes);
    setTimeout(again, memoryMilliseconds);
  };
  // A browser that refuses has no memory to tell of.
  const again = () => void once().catch(() => undefined);
  again();
}
