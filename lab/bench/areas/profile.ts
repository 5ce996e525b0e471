import type { Browser } from "playwright-core";
import { launchChromium } from "../../../test/browser/chromium.ts";
import { newProject, publish } from "../../../test/support/service/steps.ts";
import { type Area, type Effort, type Measurement, number, ratioFigure, ratioText } from "../area.ts";
import { type Comparison, compare, inTurn } from "../harness/comparison.ts";
import { type BenchService, withService } from "../parts/service.ts";
import { playSteadyGame, steadyGame } from "../parts/steady-game.ts";

const figures = {
  p95: "p95 of a game's frame times in the page that measures it beside alone, at 60 Hz",
  median: "the same, median",
  p95Unlimited: "the same without a limit of frames, p95",
  medianUnlimited: "the same without a limit of frames, median",
  processor: "the same, processor time of the main thread for each frame",
};

/** What it takes of a game that it is measured. */
export const area: Area = {
  name: "profile",
  title: "Profiling a game",
  method: `A game whose every frame takes the same some 3 ms (gravity among 420 bodies, 1,200 rectangles on a canvas) is played in one Chromium alone
and in the page that measures it, with a link for each, in turn. The game itself notes when its frames begin. The first two
seconds are left out. At 60 Hz, as a display would show it, 300 frames a visit; and without a limit, where each frame begins as
soon as the one before is done, 1,200 frames: there nothing hides what measuring takes, and 0.1 ms is 3 %. The canvas is drawn by
the processor, and the service that takes the records is on the same two cores.`,
  decides: [figures.p95],
  targets: { [figures.p95]: { atMost: 1.03 } },
  measure,
};

/** So that nothing waits for a display. */
const unlimited = ["--disable-frame-rate-limit", "--disable-gpu-vsync"];

type Comparisons = Readonly<Record<"median" | "p95" | "processor", Comparison>>;

async function measure(effort: Effort): Promise<Measurement> {
  return await withService(async (service) => {
    const display = await compareVisits(await launchChromium(), service, { ...effort, frames: 300 });
    const free = await compareVisits(await launchChromium(unlimited), service, { ...effort, frames: 1_200 });
    return {
      figures: {
        [figures.p95]: ratioFigure(display.p95),
        [figures.median]: ratioFigure(display.median),
        [figures.p95Unlimited]: ratioFigure(free.p95),
        [figures.medianUnlimited]: ratioFigure(free.median),
        [figures.processor]: ratioFigure(free.processor),
      },
      table: {
        head: ["", "measured, ms", "alone, ms", "ratio"],
        rows: [...rowsOf("at 60 Hz", display), ...rowsOf("without a limit", free)],
      },
    };
  });
}

function rowsOf(name: string, { p95, median, processor }: Comparisons): string[][] {
  const row = (what: string, comparison: Comparison) => [
    `${what}, ${name}`,
    number(comparison.ours),
    number(comparison.theirs),
    ratioText(comparison),
  ];
  return [row("p95", p95), row("median", median), row("processor time for each frame", processor)];
}

/** Plays the game in the page that measures it and alone, in turn. */
async function compareVisits(
  browser: Browser,
  { actors, gamesDomain }: BenchService,
  { isQuick, frames }: Effort & { readonly frames: number },
): Promise<Comparisons> {
  try {
    const ada = await actors.developer();
    const slug = await newProject(ada);
    await publish(ada, slug, steadyGame);
    const grants = `/projects/${slug}/telemetry-grants`;
    const visit = async (url: string) => await playSteadyGame(browser, { url, frames: isQuick ? 30 : frames });
    const alone = () => visit(`http://${slug}.${gamesDomain}/`);
    const measured = async () => {
      const { body } = await ada.post(grants);
      const times = await visit(body.url);
      await ada.delete(`${grants}/${body.profile.id}`);
      return times;
    };
    const series = await inTurn({ measured, alone }, isQuick ? { rounds: 1, warmUps: 0 } : { rounds: 21, warmUps: 1 });
    const of = (name: keyof Comparisons) => compare(series.measured[name] ?? [], series.alone[name] ?? []);
    return { p95: of("p95"), median: of("median"), processor: of("processor") };
  } finally {
    await browser.close();
  }
}
