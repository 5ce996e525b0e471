import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { launchChromium } from "../../../test/browser/chromium.ts";
import { newProject } from "../../../test/support/service/steps.ts";
import { type Area, type Effort, type Measurement, number } from "../area.ts";
import { measureProcess } from "../harness/processes.ts";
import { fetchGodotRelease, smallRelease } from "../parts/godot-release.ts";
import { installSvc } from "../parts/installed-cli.ts";
import { loadOf, type PageLoad } from "../parts/page-load.ts";
import { publishFolderByDrop } from "../parts/published-by-drop.ts";
import { type BenchService, withService } from "../parts/service.ts";

const figures = { dropped: "bytes of a Godot release from the dashboard beside `svc publish`" };

/** What players load, by who compressed it. It depends on no time, so a busy machine measures the same. */
export const area: Area = {
  name: "sizes",
  title: "What players load",
  method: `A real Godot 4 release (an engine of 38 MB and a game of 3 MB, from an npm package) is published by \`svc publish\`, and dropped on
the dashboard, which compresses it in a worker; Chromium opens both.`,
  decides: [figures.dropped],
  targets: { [figures.dropped]: { atMost: 1.1 } },
  measure,
};

async function measure(effort: Effort): Promise<Measurement> {
  const home = await mkdtemp(join(tmpdir(), "svc-bench-sizes-"));
  const browser = await launchChromium();
  try {
    return await withService((service) => measureBoth(service, { browser, home, effort }));
  } finally {
    await browser.close();
    await rm(home, { recursive: true });
  }
}

interface Tools {
  readonly browser: Browser;
  readonly home: string;
  readonly effort: Effort;
}

async function measureBoth(service: BenchService, { browser, home, effort }: Tools): Promise<Measurement> {
  const folder = effort.isQuick ? await smallRelease(join(home, "small")) : await fetchGodotRelease();
  const ada = await service.actors.developer();
  const sent = await newProject(ada);
  const { credential } = await ada.token({ scopes: ["publish"] });
  await measureProcess({
    words: [await installSvc(), "publish", folder, "--project", sent],
    env: { HOME: home, SVC_API: service.api, SVC_TOKEN: credential },
    cwd: home,
  });
  const dropped = await publishFolderByDrop(browser, service, folder);
  const loaded = async (slug: string): Promise<PageLoad> => {
    const page = await browser.newPage();
    try {
      return await loadOf(page, `http://${slug}.${service.gamesDomain}/`);
    } finally {
      await page.close();
    }
  };
  const [command, dashboard] = [await loaded(sent), await loaded(dropped)];
  return {
    figures: { [figures.dropped]: { value: dashboard.bytes / command.bytes, unit: "×" } },
    table: {
      head: ["published by", "bytes of the release", "of its engine"],
      rows: [
        ["`svc publish`", number(command.bytes), number(command.engineBytes)],
        ["the dashboard", number(dashboard.bytes), number(dashboard.engineBytes)],
      ],
    },
  };
}
