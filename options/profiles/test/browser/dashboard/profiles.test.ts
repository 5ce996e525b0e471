import { text } from "node:stream/consumers";
import { expect, test } from "@jest/globals";
import type { Locator } from "playwright-core";
import { complaintsOf } from "../../../../../test/browser/chromium.ts";
import { lookAt } from "../../../../../test/browser/dashboard/screens.ts";
import { visitor } from "../../../../../test/browser/dashboard/visitor.ts";
import { qrCodeIn } from "../../../../../test/browser/qr-code.ts";
import { until } from "../../../../../test/browser/until.ts";
import { openRelease, publish } from "../../../../../test/support/service/steps.ts";
import { openPage, pageOf } from "../../support/telemetry-page.ts";

/*
 * The pages of profiles: making a link, watching what comes by it, comparing two, and profiles that somebody has made up.
 */

const v = visitor();
/** Many pictures, each examined, take a busy machine minutes. */
const longest = 600_000;

async function newGame(slug: string): Promise<void> {
  expect((await v.ada.post("/projects", { slug, name: slug })).status).toBe(201);
  await publish(v.ada, slug, { "index.html": slug });
}

const device = (lacks: readonly string[] = []) => ({
  ...{ type: "device", at: 0, browser: "Chromium 140 on Android", width: 360, height: 800, density: 2.5, cores: 8 },
  ...{ graphics: "Mali-G78", isolated: false, lacks },
});
const repeated = (count: number, duration: number) => Array.from({ length: count }, () => duration);
const script = { source: "/game.js", function: "stutter", invoker: "TimerHandler:setInterval", duration: 121 };
/** A frame of 130 ms a second in, which a script is known for; 20 frames of 40 ms at the end. */
const measured = [
  device(),
  { type: "load", at: 5, response: 20, interactive: 90, loaded: 140 },
  { type: "resource", at: 30, name: "/game.js", initiator: "script", duration: 60, transferred: 900, decoded: 4_096 },
  { type: "resource", at: 99_000, name: "/later.png", initiator: "img", duration: 9, transferred: 10, decoded: 10 },
  { type: "frames", at: 100, durations: [...repeated(60, 16), 130, ...repeated(119, 16), ...repeated(20, 40)] },
  { type: "long_frame", at: 1_070, duration: 122, blocking: 72, scripts: [script] },
  { type: "mark", at: 500, name: "Mark 1" },
  { type: "input", at: 900, name: "keydown", delay: 24, duration: 72 },
  { type: "error", at: 700, message: "undefined is not a function", source: "/game.js", line: 6 },
  { type: "error", at: 800, message: "undefined is not a function", source: "/game.js", line: 6 },
  { type: "memory", at: 600, bytes: 50 * 1_048_576 },
  { type: "memory", at: 20_600, bytes: 60 * 1_048_576 },
];
/** The same on a device that is slower and tells less. */
const slower = [
  { ...device(["long_frame"]), browser: "Firefox 140 on Android" },
  { type: "frames", at: 0, durations: [...repeated(150, 16), ...repeated(50, 66)] },
];

const rowsOf = async (table: Locator) =>
  await table
    .getByRole("row")
    .evaluateAll((rows) =>
      rows.map((row) =>
        [...row.querySelectorAll("th, td")].map((cell) => cell.textContent?.trim().replaceAll("\u00a0", " ") ?? ""),
      ),
    );
const table = (name: string) => v.page.getByRole("table", { name, exact: true });

test(
  "a link is made and shown as a code; what comes by it appears while the game is played, until the link is ended",
  async () => {
    const { page } = v;
    const complaints = complaintsOf(page);
    await page.addInitScript(`
      window.written = [];
      const { fillText } = CanvasRenderingContext2D.prototype;
      CanvasRenderingContext2D.prototype.fillText = function (...of) { written.push(of[0]); fillText.apply(this, of); };
    `);
    await newGame("watched");
    await v.enter("projects/watched");
    await v.tab("Performance");
    await page.getByText("No profiles yet").waitFor();
    expect(await lookAt(page, "profiles-none")).toEqual([]);
    await v.button("Make a link").click();
    await page.getByRole("radio", { name: /Release #1/ }).waitFor();
    expect(await lookAt(page, "profile-new")).toEqual([]);
    await v.button("Make the link").click();
    const link = new URL((await page.getByRole("dialog").locator("code").textContent()) ?? "");
    expect(link.pathname).toBe("/.well-known/svc/profile");
    const code = await page.getByRole("img", { name: "QR code of the URL" }).screenshot();
    // The dashboard's own policy lets nobody decode there.
    const blank = await v.context.newPage();
    expect(await qrCodeIn(code, (expression) => blank.evaluate(expression))).toBe(link.href);
    await blank.close();
    expect(await lookAt(page, "profile-link")).toEqual([]);
    await v.button("Watch it").click();
    await page.getByText("Waiting for the first frames").waitFor();
    expect(await lookAt(page, "profile-waiting")).toEqual([]);

    const [grant = ""] = link.hash.slice(1).split(".");
    const phone = pageOf(v.service, { id: "", grant, origin: link.origin });
    expect((await phone.send(0, measured)).status).toBe(200);
    // 200 frames in 3,794 ms, of which one took 130 ms and twenty 40 ms.
    const verdict = page.getByRole("region", { name: "Verdict" });
    await verdict.getByRole("heading", { name: "Playable", exact: true }).waitFor();
    for (const told of [
      "53 fps on average",
      "16 hitches a minute",
      "25 % of the time above 33 ms",
      "worst frame 130 ms",
    ])
      await verdict.getByText(told, { exact: true }).waitFor();
    expect(await rowsOf(table("In numbers"))).toEqual([
      ["p50", "16 ms · 63 fps"],
      ["p95", "40 ms · 25 fps"],
      ["p99", "40 ms · 25 fps"],
      ["Longest frame", "130 ms"],
      ["Over 16.7 ms", "10.5 %"],
      ["Time over 33 ms", "24.5 %"],
      ["Hitches a minute", "15.8"],
      ["Page loaded after", "140 ms"],
      ["Files of the load", "4 KiB"],
      ["Memory at most", "60 MiB"],
      ["Errors", "2 errors"],
    ]);
    expect(await rowsOf(table("Hitches"))).toEqual([
      ["At", "Took", "Script", "In the script"],
      ["1.1 s", "130 ms", "stutter /game.js", "121 ms"],
    ]);
    expect(await rowsOf(table("Slow inputs"))).toEqual([
      ["Event", "At", "Before the game’s code", "Until the next frame"],
      ["keydown", "0.9 s", "24 ms", "72 ms"],
    ]);
    // The name of a row is heard with each of its cells.
    expect(await table("In numbers").getByRole("rowheader").count()).toBe(11);
    // The plot names the longest frame by its script, and what the player marked.
    await until(page, `["stutter", "Mark 1", "2 s", "p50"].filter((text) => !written.includes(text))`, []);
    expect((await rowsOf(table("Load"))).map(([name]) => name)).toEqual(["File", "The page", "/game.js"]);
    const spans = await table("Load")
      .locator("rect")
      .evaluateAll((bars) =>
        bars.map((bar) => ["x", "width"].map((name) => Math.round(Number(bar.getAttribute(name))))),
      );
    expect(spans).toEqual([
      [0, 100],
      [18, 43],
    ]);
    await page.getByText("And 1 file later.").waitFor();
    expect((await rowsOf(table("Errors")))[1]).toEqual(["undefined is not a function", "/game.js:6", "2"]);
    expect(await lookAt(page, "profile")).toEqual([]);

    const [download] = await Promise.all([page.waitForEvent("download"), v.button("Download trace").click()]);
    expect(download.suggestedFilename()).toMatch(/^watched-\w{22}\.trace\.json$/);
    const { traceEvents } = JSON.parse(await text(await download.createReadStream()));
    expect(traceEvents).toContainEqual(
      expect.objectContaining({ name: "Frame", ph: "X", ts: 1_060_000, dur: 130_000 }),
    );

    await phone.send(measured.length, [{ type: "frames", at: 4_000, durations: [300] }]);
    await page.getByRole("cell", { name: "300 ms" }).first().waitFor();
    await v.button("End the link").click();
    await page.getByText("Link works").waitFor({ state: "detached" });
    expect((await phone.send(measured.length + 1, [])).status).toBe(401);
    expect(complaints).toEqual([]);
  },
  longest,
);

test(
  "two profiles are beside each other, with what became worse",
  async () => {
    const { page } = v;
    await newGame("compared");
    const before = await openPage(v.service, v.ada, "compared");
    await before.send(0, measured);
    const after = await openPage(v.service, v.ada, "compared");
    await after.send(0, slower);
    await v.enter("projects/compared/profiles");
    await page.getByRole("link", { name: /Firefox 140 on Android/ }).waitFor();
    expect(await lookAt(page, "profiles")).toEqual([]);
    await page.getByRole("link", { name: /Firefox 140 on Android/ }).click();
    await page.getByText("This browser does not say which script took them").waitFor();
    // No column is empty, and the first five are followed by all when somebody asks.
    expect((await rowsOf(table("Hitches")))[0]).toEqual(["At", "Took"]);
    expect(await table("Hitches").getByRole("row").count()).toBe(6);
    await v.button("All 50 hitches").click();
    expect(await table("Hitches").getByRole("row").count()).toBe(51);
    await v.button("The 5 longest").click();
    expect(await table("Hitches").getByRole("row").count()).toBe(6);
    await page.getByRole("link", { name: /Release #1 on Chromium 140 on Android/ }).click();
    await table("Both profiles").waitFor();
    const compared = page.getByRole("link", { name: /Release #1 on Chromium 140 on Android/ });
    expect(await compared.getAttribute("aria-current")).toBe("true");
    // Not with itself.
    await until(page, `document.querySelectorAll("[aria-label='Compare with'] [role=listitem]").length`, 1);
    expect(await rowsOf(table("Both profiles"))).toEqual([
      ["", "Release #1 on Chromium 140 on Android", "Release #1 on Firefox 140 on Android", "It became"],
      ["p50", "16 ms · 63 fps", "16 ms · 63 fps", "the same"],
      ["p95", "40 ms · 25 fps", "66 ms · 15 fps", "worse"],
      ["p99", "40 ms · 25 fps", "66 ms · 15 fps", "worse"],
      ["Longest frame", "130 ms", "66 ms", "better"],
      ["Over 16.7 ms", "10.5 %", "25 %", "worse"],
      ["Time over 33 ms", "24.5 %", "57.9 %", "worse"],
      ["Hitches a minute", "15.8", "526.3", "worse"],
      ["Page loaded after", "140 ms", "–", ""],
      ["Files of the load", "4 KiB", "–", ""],
      ["Memory at most", "60 MiB", "–", ""],
      ["Errors", "2 errors", "0 errors", "better"],
    ]);
    // Both are lines of one plot.
    await page.getByRole("img", { name: /^Frame times over time, beside those of Release #1 on Chromium/ }).waitFor();
    expect(await page.locator(".swatch:is(.line, .dashed-line)").count()).toBeGreaterThanOrEqual(2);
    expect(await lookAt(page, "profiles-compared")).toEqual([]);
    await page.getByRole("link", { name: "Show this one alone" }).click();
    await table("In numbers").waitFor();
  },
  longest,
);

const markup = "<img src=x onerror=document.title='taken'><script>document.title='taken'</script>";
const direction = "\u202e\u2066txt.exe";
const hostile = [
  { ...device(), browser: `${markup}${direction}`, graphics: `${"\u0000\u0007"}${"W".repeat(280)}` },
  { type: "load", at: 86_400_000, response: 86_400_000, interactive: 0, loaded: 86_400_000 },
  ...[0, 86_400_000].map((at) => ({
    ...{ type: "resource", at, name: markup, initiator: markup.slice(0, 40), duration: 86_400_000 },
    ...{ transferred: Number.MAX_SAFE_INTEGER, decoded: Number.MAX_SAFE_INTEGER },
  })),
  { type: "frames", at: 86_400_000, durations: [86_400_000, 0, 1e-300, ...repeated(500, 99.5)] },
  { type: "frames", at: 0, durations: [0] },
  ...Array.from({ length: 150 }, (_, index) => ({
    ...{ type: "long_frame", at: 86_400_000, duration: 86_400_000, blocking: index },
    scripts: [{ source: `javascript:${markup}`.slice(0, 300), function: markup, invoker: direction, duration: 0 }],
  })),
  { type: "long_frame", at: 0, duration: 0, blocking: 0, scripts: [] },
  ...Array.from({ length: 60 }, (_, index) => ({
    ...{ type: "error", at: 0, message: `${index}${markup}\n${"M".repeat(300)}`, source: "__proto__" },
    line: Number.MAX_SAFE_INTEGER,
  })),
  { type: "mark", at: 86_400_000, name: "\u200f<b>" },
  { type: "input", name: markup.slice(0, 40), at: 0, delay: 86_400_000, duration: 0 },
  { type: "memory", at: 5, bytes: Number.MAX_SAFE_INTEGER },
  { type: "memory", at: 0, bytes: 0 },
];

const perRequest = 40;

test(
  "what a profile says is text, however it is made up",
  async () => {
    const { page } = v;
    const complaints = complaintsOf(page);
    await newGame("hostile");
    const attacker = await openPage(v.service, v.ada, "hostile");
    for (let first = 0; first < hostile.length; first += perRequest)
      expect(await attacker.send(first, hostile.slice(first, first + perRequest))).toMatchObject({ status: 200 });
    await v.enter("projects/hostile/profiles");
    await page.getByRole("link", { name: /onerror/ }).click();
    await table("Hitches").waitFor();
    await until(page, "document.title", "Performance · hostile · svc");
    expect(await page.locator("main :is(img:not([role]), script, b:not(.meta b))").count()).toBe(0);
    expect((await rowsOf(table("Hitches")))[1]?.[2]).toContain(markup.slice(0, 100));
    await page.getByText("And 10 other ones.").waitFor();
    // A character that changes the direction of text does so within its own words alone.
    for (const text of [direction, "onerror"]) {
      const outside = await page
        .locator("main :is(td, th, h3 a)")
        .evaluateAll(
          (cells, wanted) =>
            cells.filter(
              (cell) =>
                cell.textContent?.includes(wanted) &&
                cell.querySelector("bdi") === null &&
                cell.closest("bdi") === null,
            ).length,
          text,
        );
      expect(outside).toBe(0);
    }
    expect(await lookAt(page, "profile-hostile")).toEqual([]);
    expect(complaints).toEqual([]);
  },
  longest,
);

test("a profile of another's project, and one that is gone, are not found", async () => {
  await newGame("private");
  const { id } = await openPage(v.service, v.ada, "private");
  await v.enter(`projects/private/profiles/${id}`, { name: "Grace Hopper" });
  await v.page.getByText("You have no project at this address").first().waitFor();
});

test("a release that is not live is chosen by its preview", async () => {
  await newGame("previewed");
  const { body } = await openRelease(v.ada, "previewed", { "index.html": "another" });
  const { id } = body.release;
  expect((await v.ada.post(`/projects/previewed/releases/${id}/preview`)).status).toBe(200);
  await v.enter("projects/previewed/profiles");
  await v.button("Make a link").click();
  await v.page.getByRole("radio", { name: /Its preview/ }).check();
  await v.button("Make the link").click();
  const link = (await v.page.getByRole("dialog").locator("code").textContent()) ?? "";
  expect(link).toMatch(/^http:\/\/previewed--[0-9a-f]{20}\./);
  const { profiles } = (await v.ada.get("/projects/previewed/profiles")).body;
  expect(profiles).toMatchObject([{ release: id }]);
});

test("a profile no longer shows that its link works once it was ended elsewhere, also if that could not be read at first", async () => {
  const slug = "ended-elsewhere";
  await newGame(slug);
  const { id } = await openPage(v.service, v.ada, slug);
  await v.page.clock.install();
  await v.enter(`projects/${slug}/profiles/${id}`);
  const works = v.page.getByText("Link works", { exact: true });
  await works.waitFor();
  await v.page.route(`${v.service.api}/projects/${slug}/profiles/${id}`, (route) =>
    route.fulfill({ status: 503, json: { code: "temporarily_unavailable", detail: "Not now." } }),
  );
  await v.page.clock.fastForward("00:05");
  await v.page.getByText("Not now.").waitFor();
  expect((await v.ada.delete(`/projects/${slug}/telemetry-grants/${id}`)).status).toBe(204);
  await v.page.unrouteAll();
  await v.page.clock.fastForward("00:15");
  await works.waitFor({ state: "detached" });
});
