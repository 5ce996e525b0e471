import { mkdtemp, open, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { drop } from "../../../test/browser/dashboard/drop.ts";
import { newProject } from "../../../test/support/service/steps.ts";
import { makeFolder } from "./game-folder.ts";
import type { BenchService } from "./service.ts";

/** Signs in as Ada. */
export async function enter(page: Page, { dashboard }: BenchService): Promise<void> {
  await page.goto(dashboard);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("button", { name: /Ada Lovelace/ }).click();
}

/** Seconds from the drop of a folder of 200 files until its release is live. */
export async function publishedByDrop(browser: Browser, service: BenchService): Promise<number> {
  return await withProject(browser, service, async ({ page, home }) => {
    const folder = await makeFolder(home, 200);
    const started = performance.now();
    await publishDropped(page, folder);
    return (performance.now() - started) / 1_000;
  });
}

/** Publishes a folder in the dashboard. @returns the project's slug */
export async function publishFolderByDrop(browser: Browser, service: BenchService, folder: string): Promise<string> {
  return await withProject(browser, service, async ({ page, slug }) => {
    await publishDropped(page, folder);
    return slug;
  });
}

/** How many megabytes more all processes of the browser have, at most, while a large file is published. */
export async function addedMegabytes(browser: Browser, service: BenchService, megabytes: number) {
  return await withProject(browser, service, async ({ page, home }) => {
    await writeFile(join(home, "index.html"), "<!doctype html>");
    const file = await open(join(home, "game.zip.bin"), "w");
    await file.truncate(megabytes * 1_000_000);
    await file.close();
    const session = await browser.newBrowserCDPSession();
    const before = await memoryOf(session);
    let most = before;
    const watching = setInterval(() => void memoryOf(session).then((now) => (most = Math.max(most, now))), 50);
    try {
      await publishDropped(page, home);
    } finally {
      clearInterval(watching);
    }
    return (most - before) / 1_000;
  });
}

/** Kilobytes of memory that belong to the browser's processes alone, not to files of the disk. */
async function memoryOf(session: Awaited<ReturnType<Browser["newBrowserCDPSession"]>>): Promise<number> {
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  const each = processInfo.map(async ({ id }) => {
    const status = await readFile(`/proc/${id}/status`, "utf8").catch(() => "");
    return Number(/^RssAnon:\s+(\d+)/m.exec(status)?.[1] ?? 0);
  });
  return (await Promise.all(each)).reduce((sum, one) => sum + one, 0);
}

async function publishDropped(page: Page, folder: string): Promise<void> {
  await drop(page, folder);
  await page.getByRole("button", { name: "Publish", exact: true }).click({ timeout: 300_000 });
  await page.getByText("It is live.").waitFor({ timeout: 300_000 });
}

/** With the page of a new project, and a folder that is removed. */
async function withProject<Result>(
  browser: Browser,
  service: BenchService,
  work: (project: { readonly page: Page; readonly home: string; readonly slug: string }) => Promise<Result>,
): Promise<Result> {
  const home = await mkdtemp(join(tmpdir(), "svc-bench-drop-"));
  const page = await browser.newPage();
  try {
    const ada = await service.actors.stranger({ sub: "ada", name: "Ada Lovelace" });
    // She has an account since the page was measured first.
    await ada.post("/auth/session", { role: "dev" });
    const slug = await newProject(ada);
    await enter(page, service);
    await page.getByRole("link", { name: slug, exact: true }).first().click();
    await page.getByRole("region", { name: "Publish" }).waitFor();
    return await work({ page, home, slug });
  } finally {
    await page.context().close();
    await rm(home, { recursive: true });
  }
}
