import { expect, test } from "@jest/globals";
import { complaintsOf } from "../../../../../test/browser/chromium.ts";
import { click } from "../../../../../test/browser/dashboard/clicks.ts";
import { lookAt } from "../../../../../test/browser/dashboard/screens.ts";
import { visitor } from "../../../../../test/browser/dashboard/visitor.ts";
import { installedFirefox, useFirefox } from "../../../../../test/browser/firefox.ts";
import { until } from "../../../../../test/browser/until.ts";
import { eventually } from "../../../../../test/support/eventually.ts";
import { type Owner, withProject } from "../../../../../test/support/service/operations.ts";
import { publish } from "../../../../../test/support/service/steps.ts";

/*
 * Statistics on a project's page: browsers play, the scheduled job counts, the plots show it.
 */

const program = installedFirefox();
if (program === undefined) throw new Error("No Firefox is installed. On Debian: apt-get install firefox-esr");
const openFirefox = useFirefox(program);

const v = visitor({ env: { GAMES_STORE_ENDPOINT: undefined, SVC_STATISTICS_SECONDS: "1" } });

const pageOf = (content: string) => `<!doctype html><link rel="icon" href="data:,"><title>Game</title>${content}`;

/** Requested with each load: a browser keeps a 404 for five seconds. */
const withMissingFile = '<script>fetch("missing.png", { cache: "no-store" })</script>';

/** Waits until so many plays and requests that failed are counted. */
async function counted(ada: Owner, expected: { plays: number; failed: number }): Promise<void> {
  await eventually(async () => {
    const { body } = await ada.get(`/projects/${ada.slug}/statistics`);
    const failing: readonly { requests: number }[] = body.failing;
    const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0);
    const plays = sumOf(Object.values(body.countries));
    expect({ plays, failed: sumOf(failing.map(({ requests }) => requests)) }).toEqual(expected);
  });
}

/**
 * The bars of the first plot: how high the full part of each is, and how far the first marked line is from the first bar. In the
 * colours of the page: so a bar that is not drawn, or drawn in the other scheme's colours, is not found.
 */
const drawn = `(() => {
  const canvas = document.querySelector(".even .plot canvas");
  const { width, height } = canvas;
  const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
  const bytesOf = (colour) => colour.match(/\\d+/g).slice(0, 3).map(Number);
  const accent = bytesOf(getComputedStyle(document.querySelector(".swatch.full-bars")).backgroundColor);
  const ink = bytesOf(getComputedStyle(document.body).color);
  const is = (colour, x, y) => colour.every((byte, index) => Math.abs(byte - data[(y * width + x) * 4 + index]) < 12);
  const column = (colour, x) => Array.from({ length: height }, (_, y) => is(colour, x, y));
  const count = (of) => of.filter(Boolean).length;
  const longest = (of) => Math.max(...of.map((is) => (is ? "x" : " ")).join("").split(" ").map((run) => run.length));
  const columns = Array.from({ length: width }, (_, x) => x);
  const bars = columns.filter((x) => count(column(accent, x)) > 20);
  const starts = bars.filter((x) => !bars.includes(x - 1));
  const middle = Math.round((bars[0] + bars.at(-1)) / 2);
  const full = longest(column(accent, middle)) / longest(column(accent, bars[0]));
  const marks = columns.filter((x) => count(column(ink, x)) > height / 4);
  return { bars: starts.length, full: Math.round(full * 10) / 10, marks: marks.length, isMarkBefore: marks[0] < bars[0] };
})()`;

/** Two of three plays are first ones, on one day on which both releases went live. */
const expectedDrawing = { bars: 1, full: 0.7, marks: 1, isMarkBefore: true };

test("two browsers play two releases with a missing file, and the page of the project shows exactly that", async () => {
  const firefox = await openFirefox();
  const ada = await withProject(v.ada);
  const game = `http://${ada.slug}.${v.service.gamesDomain}/`;
  await publish(ada, ada.slug, { "index.html": pageOf(withMissingFile) });
  const player = await v.context.newPage();
  await player.goto(game, { waitUntil: "networkidle" });
  await player.reload({ waitUntil: "networkidle" });
  await publish(ada, ada.slug, { "index.html": pageOf("2") });
  await firefox.goto(game);
  await counted(ada, { plays: 3, failed: 2 });

  const complaints = complaintsOf(v.page);
  await v.enter(`projects/${ada.slug}`);
  await v.tab("Statistics");
  const rows = (table: string) =>
    v.page.getByRole("table", { name: table, exact: true }).locator("tbody tr").allInnerTexts();
  const plot = v.page.getByRole("img", { name: /^Plays by day from .* First visits of releases: #1, #2 on / });
  await plot.locator("canvas").waitFor();
  expect(await rows("What fails")).toEqual(["/missing.png\t404\t2"]);
  expect(await rows("From where")).toEqual(["Unknown\t3"]);
  await v.page.getByRole("radio", { name: "2 days" }).check();
  await v.page
    .getByRole("img", { name: /^Plays by hour, .*: \d/ })
    .locator("canvas")
    .waitFor();
  expect(await plot.count()).toBe(0);
  await v.page.getByRole("radio", { name: "30 days" }).check();
  await plot.locator("canvas").waitFor();
  await v.page.getByText("Every day as a table").click();
  const cells = (await rows("Every day")).map((row) => row.split("\t").filter((_, at) => [1, 2, 3, 5].includes(at)));
  expect(cells.sort()).toEqual([
    ["#1", "2", "1", "2"],
    ["#2", "1", "1", "0"],
  ]);
  await until(v.page, drawn, expectedDrawing);
  const { width } = (await plot.boundingBox()) as { width: number };
  await plot.hover({ position: { x: width - 30, y: 100 } });
  await v.page.getByText("All plays 3").waitFor();
  await v.page.getByText("First plays 2").waitFor();
  expect(await v.page.getByRole("heading", { name: /^What did update/ }).count()).toBe(0);
  expect(await lookAt(v.page, "statistics", plot)).toEqual([]);
  await v.page.emulateMedia({ colorScheme: "dark" });
  await until(v.page, drawn, expectedDrawing);
  // The one before is gone, and this one is as wide as its place, also in a narrower window.
  const widths =
    "[...document.querySelectorAll('.plot-place')].flatMap((place) => [...place.querySelectorAll('canvas')].map((canvas) => canvas.clientWidth - place.clientWidth))";
  const each = await v.page.locator(".plot-place").count();
  await v.page.setViewportSize({ width: 600, height: 800 });
  await until(v.page, widths, Array(each).fill(0));
  expect(complaints).toEqual([]);

  await firefox.goto(`${v.service.dashboard}projects/${ada.slug}/statistics`);
  await click(firefox, "Sign in");
  await click(firefox, "Ada Lovelace");
  await until(firefox, "document.querySelector('.even .plot canvas') !== null");
  await until(firefox, drawn, expectedDrawing);
  expect(firefox.complaints).toEqual([]);
}, 300_000);
