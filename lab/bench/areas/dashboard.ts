import { BatchWriteCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { Browser, CDPSession, Page } from "playwright-core";
import { median } from "simple-statistics";
import { newId } from "../../../functions/table/ids.ts";
import { accountKey, keys, ranges } from "../../../functions/table/keys.ts";
import { launchChromium } from "../../../test/browser/chromium.ts";
import { layoutShiftOf, shiftObserver } from "../../../test/browser/dashboard/layout-shift.ts";
import { newProject, publish } from "../../../test/support/service/steps.ts";
import type { Area, Effort, Measurement } from "../area.ts";
import { addedMegabytes, enter, publishedByDrop } from "../parts/published-by-drop.ts";
import { type BenchService, withService } from "../parts/service.ts";

const figures = {
  interactive: "the dashboard's first view over a slow network until one can sign in",
  bytes: "compressed bytes of the first view",
  shift: "cumulative layout shift of the first view and of the lists",
  tokens: "the last pages of 10,000 tokens beside the first, time",
  releases: "the last pages of 10,000 releases beside the first, time",
  drop: "publishing 200 files by drop, from the drop until they are live",
  memory: "memory that the browser needs more while it publishes a file of 500 MB",
};

/** What Lighthouse calls slow 4G: https://github.com/GoogleChrome/lighthouse/blob/main/docs/throttling.md */
const network = { latency: 150, downloadThroughput: 1_638_400 / 8, uploadThroughput: 768_000 / 8 };

/** How long the dashboard takes to open. */
export const area: Area = {
  name: "dashboard",
  title: "The dashboard",
  method: `The real page of the local service in Chromium, with an empty cache. Slow network: Chromium's own emulation of Lighthouse's slow
4G, 1.6 Mbit/s down, 0.75 Mbit/s up and 150 ms more for each request; connections and processor are not slowed down. Interactive: the
button "Sign in" is on the page, which needs page, script, style and configuration. Bytes are those that came over the network. Lists: from the
click on "Show more", which is in sight, until the next 100 rows are painted; the ratio is of the median of the last 20 pages to that of the
first 20 in another window, turned in alternation, so that what else the machine does slows both. By drop: a folder of 200 files of
16 KiB of random bytes on the page of a new project, without emulated network, and a click on "Publish" as soon as it is there. Memory: the most of all of Chromium's processes together (private pages, RssAnon), looked
at every 50 ms from the drop until the release is live, less what they had before.`,
  decides: [figures.interactive],
  targets: {
    [figures.interactive]: { atMost: 1 },
    [figures.bytes]: { atMost: 60 },
    [figures.shift]: { atMost: 0 },
    [figures.tokens]: { atMost: 1.5 },
    [figures.releases]: { atMost: 1.5 },
    [figures.drop]: { atMost: 3 },
    [figures.memory]: { atMost: 150 },
  },
  measure,
};

async function measure(effort: Effort): Promise<Measurement> {
  const browser = await launchChromium();
  try {
    return await withService(async (service) => {
      const views: View[] = [];
      for (let round = 0; round < (effort.isQuick ? 1 : 9); round += 1) views.push(await firstView(browser, service));
      const lists = await longLists(
        browser,
        service,
        effort.isQuick ? { length: 500, compared: 1 } : { length: 10_000, compared: 20 },
      );
      const drops: number[] = [];
      for (let round = 0; round < (effort.isQuick ? 1 : 5); round += 1)
        drops.push(await publishedByDrop(browser, service));
      const megabytes = effort.isQuick ? 50 : 500;
      const memory = await addedMegabytes(browser, service, megabytes);
      const ofViews = (name: "seconds" | "kilobytes") => median(views.map((view) => view[name]));
      return {
        figures: {
          [figures.interactive]: { value: ofViews("seconds"), unit: "s" },
          [figures.bytes]: { value: ofViews("kilobytes"), unit: "kB" },
          [figures.shift]: { value: Math.max(lists.shift, ...views.map(({ shift }) => shift)), unit: "" },
          [figures.tokens]: { value: lists.tokens, unit: "×" },
          [figures.releases]: { value: lists.releases, unit: "×" },
          [figures.drop]: { value: median(drops), unit: "s" },
          [figures.memory]: { value: memory, unit: "MB" },
        },
      };
    });
  } finally {
    await browser.close();
  }
}

/** Notes, before anything of the page runs, when the first button is there, and what moves. */
const observer = `
  ${shiftObserver}
  new MutationObserver((_, self) => {
    if (!document.querySelector("#root button")) return;
    self.disconnect();
    requestAnimationFrame(() => setTimeout(() => { window.interactiveAt = performance.now(); }));
  }).observe(document, { childList: true, subtree: true });
`;

interface View {
  readonly seconds: number;
  readonly kilobytes: number;
  readonly shift: number;
}

async function firstView(browser: Browser, { dashboard }: BenchService): Promise<View> {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    await page.addInitScript(observer);
    const session = await context.newCDPSession(page);
    const bytes = await receivedBytes(session);
    await session.send("Network.emulateNetworkConditions", { offline: false, ...network });
    await page.goto(dashboard);
    await page.getByRole("button", { name: "Sign in" }).waitFor();
    await page.waitForLoadState("networkidle");
    const seconds = Number(await page.evaluate("window.interactiveAt")) / 1_000;
    return { seconds, kilobytes: bytes() / 1_000, shift: await shiftOf(page) };
  } finally {
    await context.close();
  }
}

/** Counts what comes over the network from now on: headers and compressed bodies. */
async function receivedBytes(session: CDPSession): Promise<() => number> {
  let received = 0;
  session.on("Network.loadingFinished", ({ encodedDataLength }) => {
    received += encodedDataLength;
  });
  await session.send("Network.enable");
  return () => received;
}

/** How much has moved so far; prints what. */
async function shiftOf(page: Page): Promise<number> {
  const { shift, moved } = await layoutShiftOf(page);
  for (const one of moved) console.error(`Moved: ${one}`);
  return shift;
}

interface Lists {
  readonly length: number;
  /** How many of the last pages are compared with as many of the first. */
  readonly compared: number;
}

/** Turns through lists of `length` tokens and releases to their ends. */
async function longLists(browser: Browser, service: BenchService, lists: Lists) {
  const { length } = lists;
  const { actors, issuer } = service;
  const developer = await actors.developer({ sub: "ada", name: "Ada Lovelace" });
  const slug = await newProject(developer);
  const { id } = await developer.token({ name: "laptop" });
  await developer.delete(`/tokens/${id}`);
  await publish(developer, slug, { "index.html": "1" });
  const account = accountKey(issuer, "ada");
  const ofAccount = {
    range: { PK: keys.account(account).PK, prefix: "TOKEN#" },
    key: (of: string) => keys.token(account, of),
  };
  await multiply(service, { ...ofAccount, count: length - 1 });
  await multiply(service, { range: ranges.releases(slug), key: (of) => keys.release(slug, of), count: length - 1 });

  const tokens = await growth(browser, lists, async (page) => {
    await enter(page, service);
    await page.getByRole("link", { name: "Tokens" }).click();
    await page.getByText("Revoked and expired", { exact: true }).click();
    await page.getByRole("list", { name: "Revoked and expired tokens" }).waitFor();
  });
  const releases = await growth(browser, lists, async (page) => {
    await enter(page, service);
    await page.getByRole("link", { name: slug, exact: true }).first().click();
    await page.getByRole("list", { name: "Releases" }).waitFor();
  });
  return { tokens: tokens.ratio, releases: releases.ratio, shift: Math.max(tokens.shift, releases.shift) };
}

/** Stores copies of the one item of a range under other ids. */
async function multiply(
  { table, tableName }: BenchService,
  {
    range: { PK, prefix },
    key,
    count,
  }: {
    range: { readonly PK: string; readonly prefix: string };
    key: (id: string) => { readonly PK: string; readonly SK: string };
    count: number;
  },
): Promise<void> {
  const { Items: [item] = [] } = await table.send(
    new QueryCommand({
      TableName: tableName,
      KeyConditionExpression: "PK = :pk AND begins_with(SK, :prefix)",
      ExpressionAttributeValues: { ":pk": PK, ":prefix": prefix },
    }),
  );
  if (item === undefined) throw new Error(`There is nothing to copy at ${PK} ${prefix}`);
  // Older than the original, which stays the first of a list that begins with the newest.
  const ids = Array.from({ length: count }, (_, index) => newId(new Date(Date.now() - (index + 1) * 60_000)));
  for (let start = 0; start < ids.length; start += 25) {
    const requests = ids.slice(start, start + 25).map((id) => ({ PutRequest: { Item: { ...item, ...key(id), id } } }));
    await table.send(new BatchWriteCommand({ RequestItems: { [tableName]: requests } }));
  }
}

const pageLength = 100;

/** The time of a list's last pages as a multiple of that of its first pages, and what moves when the list opens. */
async function growth(browser: Browser, { length, compared }: Lists, open: (page: Page) => Promise<void>) {
  // Each has a context of its own, and so a process.
  const [first, last] = [await browser.newPage(), await browser.newPage()];
  try {
    for (const page of [first, last]) {
      await page.addInitScript(observer);
      await open(page);
    }
    const shift = Math.max(await shiftOf(first), await shiftOf(last));
    for (let turned = 1; turned < length / pageLength - compared; turned += 1) await turnPage(last);
    const times = { first: [] as number[], last: [] as number[] };
    for (let turned = 0; turned < compared; turned += 1) {
      times.first.push(await turnPage(first));
      times.last.push(await turnPage(last));
    }
    return { ratio: median(times.last) / median(times.first), shift };
  } finally {
    await Promise.all([first, last].map((page) => page.context().close()));
  }
}

/** Milliseconds of the next page. */
async function turnPage(page: Page): Promise<number> {
  return Number(await page.evaluate(turn));
}

/** In the page, so that no message between processes is part of what is measured. */
const turn = `(async () => {
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const painted = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  const more = document.querySelector(".more button");
  // A click on a button that is still busy would be lost.
  while (more.ariaBusy === "true") await frame();
  more.scrollIntoView({ block: "center" });
  await painted();
  const list = document.querySelector("[role=list]");
  const pages = list.childElementCount;
  const started = performance.now();
  more.click();
  while (list.childElementCount === pages) await frame();
  await painted();
  return performance.now() - started;
})()`;
