import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { launchChromium, launchProfile } from "../../../test/browser/chromium.ts";
import { newProject } from "../../../test/support/service/steps.ts";
import { type Area, type Effort, type Measurement, number, ratioFigure, ratioText } from "../area.ts";
import { compare, inTurn } from "../harness/comparison.ts";
import { measureProcess } from "../harness/processes.ts";
import { fetchGodotRelease, godotIsLoaded, smallRelease } from "../parts/godot-release.ts";
import { installSvc } from "../parts/installed-cli.ts";
import { loadOf } from "../parts/page-load.ts";
import { measureChangedAsset, visitLoad } from "../parts/returning-players.ts";
import { withService } from "../parts/service.ts";

const figures = {
  changedAsset: "bytes that a returning Chromium loads after one asset of a pack of 40 MB changed, beside the pack",
  requests: "requests of a second visit to a Godot game",
  bytes: "bytes of a second visit to a Godot game",
  firstVisit: "time of a first visit to a Godot game at 20 Mbit/s with 40 ms, by content beside whole",
};

/** Load of players who come back, and its cost for those who come first. */
export const area: Area = {
  name: "updates",
  title: "Coming back to a game",
  method: `A real Godot 4 release (an engine of 38 MB and a game of 3 MB, from an npm package) is published by \`svc publish\`, as it is and with \`updates = "whole"\`;
Chromium opens a page that loads them and compiles the engine, with nothing stored, over a connection that is slowed to 20 Mbit/s with 40 ms, in turn; and a second
time in a profile on disk, counted with headers. A pack of 40 MB of random bytes, in which 200 kB change, is published twice by \`svc publish\`, and loaded by a Chromium that has the first.`,
  decides: [figures.changedAsset],
  targets: {
    [figures.changedAsset]: { atMost: 0.02 },
    [figures.requests]: { atMost: 5 },
    [figures.bytes]: { atMost: 60 },
    [figures.firstVisit]: { atMost: 1.03 },
  },
  measure,
};

async function measure({ isQuick }: Effort): Promise<Measurement> {
  const home = await mkdtemp(join(tmpdir(), "svc-bench-home-"));
  const browser = await launchChromium();
  try {
    return await withService(
      async (service) => {
        const svc = await installSvc();
        const ada = await service.actors.developer();
        const { credential } = await ada.token({ scopes: ["publish"] });
        const env = { HOME: home, SVC_API: service.api, SVC_TOKEN: credential };
        const folder = isQuick ? await smallRelease(join(home, "small")) : await fetchGodotRelease();
        const published = async (settings: string) => {
          const slug = await newProject(ada);
          const cwd = join(home, slug);
          await mkdir(cwd);
          await writeFile(join(cwd, "svc.toml"), settings);
          await measureProcess({ words: [svc, "publish", folder, "--project", slug], env, cwd });
          return `http://${slug}.${service.gamesDomain}/`;
        };
        const [content, whole] = [await published(""), await published('updates = "whole"\n')];
        const rounds = isQuick ? { rounds: 1, warmUps: 0 } : { rounds: 9, warmUps: 1 };
        const series = await inTurn(
          { content: firstVisit(browser, content), whole: firstVisit(browser, whole) },
          rounds,
        );
        const first = compare(series.content["milliseconds"] ?? [], series.whole["milliseconds"] ?? []);
        const again = await secondVisit(join(home, "profile"), content);
        const size = isQuick ? 4_000_000 : 40_000_000;
        const changed = await measureChangedAsset(service, browser, { home, svc, size });
        return {
          figures: {
            [figures.changedAsset]: { value: changed, unit: "×" },
            [figures.requests]: { value: again.requests, unit: "" },
            [figures.bytes]: { value: again.bytes / 1_000, unit: "kB" },
            [figures.firstVisit]: ratioFigure(first),
          },
          table: {
            head: ["what", "by content", "whole", "ratio"],
            rows: [
              [
                "a first visit to a Godot game, s",
                number(first.ours / 1_000),
                number(first.theirs / 1_000),
                ratioText(first),
              ],
            ],
          },
        };
      },
      { env: { GAMES_STORE_ENDPOINT: undefined } },
    );
  } finally {
    await browser.close();
    await rm(home, { recursive: true, force: true });
  }
}

function firstVisit(browser: Browser, url: string) {
  return async () => {
    const page = await browser.newPage();
    try {
      return await loadOf(page, url);
    } finally {
      await page.close();
    }
  };
}

async function secondVisit(profile: string, url: string) {
  const context = await launchProfile(profile);
  try {
    await visitLoad(context, url, godotIsLoaded);
    return await visitLoad(context, url, godotIsLoaded);
  } finally {
    await context.close();
  }
}
