import { setTimeout as delay } from "node:timers/promises";
import type { Browser, CDPSession, Frame, Page } from "playwright-core";
import { quantile } from "simple-statistics";

/** Notes each of its frames, as its own requestAnimationFrame is told them. */
const script = `
const sprites = 1200, bodies = 420;
const canvas = document.getElementById("game"), context = canvas.getContext("2d");
let state = 1;
const random = () => (state = (state * 48271) % 2147483647) / 2147483647;
const make = (count) => Array.from({ length: count }, () => ({ x: random() * 800, y: random() * 600, dx: random() - 0.5, dy: random() - 0.5 }));
const all = make(sprites), heavy = make(bodies);
function simulate() {
  for (const one of heavy) for (const other of heavy) {
    const x = other.x - one.x, y = other.y - one.y, force = 1e-4 / Math.sqrt(x * x + y * y + 1);
    one.dx += x * force; one.dy += y * force;
  }
  for (const one of heavy) { one.x += one.dx * 1e-3; one.y += one.dy * 1e-3; }
}
function draw(step) {
  context.clearRect(0, 0, 800, 600);
  all.forEach(({ x, y, dx, dy }, index) => {
    context.fillStyle = "hsl(" + (index % 360) + " 80% 50%)";
    context.fillRect((x + step * dx + 8000) % 800, (y + step * dy + 6000) % 600, 12, 12);
  });
}
window.times = [];
function frame(now) {
  times.push(now);
  simulate();
  draw(times.length % 1000);
  requestAnimationFrame(frame);
}
requestAnimationFrame(frame);
`;

/** A game whose every frame takes the same work: gravity among 420 bodies and 1,200 rectangles on a canvas. */
export const steadyGame = {
  "index.html": `<!doctype html><meta charset="utf-8"><title>Steady</title>
<canvas id="game" width="800" height="600"></canvas><script src="game.js"></script>`,
  "game.js": script,
};

/** What a visit of the steady game took, in milliseconds. */
export interface FrameTimes extends Readonly<Record<string, number>> {
  readonly median: number;
  readonly p95: number;
  /** Processor time of the page's main thread for each frame: another process that is busy changes it little. */
  readonly processor: number;
}

interface Visit {
  readonly url: string;
  /** How many frames are measured, once page and code are loaded. */
  readonly frames: number;
}

const loadMilliseconds = 2_000;

/** Plays the steady game at this URL, whose page may hold it in a frame. */
export async function playSteadyGame(browser: Browser, { url, frames }: Visit): Promise<FrameTimes> {
  const page = await browser.newPage({ viewport: { width: 1_024, height: 700 } });
  try {
    await page.goto(url);
    await delay(loadMilliseconds);
    const session = await page.context().newCDPSession(page);
    await session.send("Performance.enable", { timeDomain: "threadTicks" });
    const first = await noted(page, session);
    let last = first;
    while (last.times.length - first.times.length <= frames) {
      await delay(1_000);
      last = await noted(page, session);
    }
    const times = last.times.slice(first.times.length, first.times.length + frames + 1);
    const durations = times.slice(1).map((time, index) => time - (times[index] as number));
    const processor = (last.busy - first.busy) / (last.times.length - first.times.length);
    return { median: quantile(durations, 0.5), p95: quantile(durations, 0.95), processor };
  } finally {
    await page.close();
  }
}

/** When each frame began, as the game has noted it, and how long the main thread has been busy, in milliseconds of a processor. */
async function noted(page: Page, session: CDPSession): Promise<{ readonly times: number[]; readonly busy: number }> {
  // The last frame is the game's, whether it is in another page or alone.
  const times = (await (page.frames().at(-1) as Frame).evaluate("times")) as number[];
  const { metrics } = await session.send("Performance.getMetrics");
  return { times, busy: (metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN) * 1_000 };
}
