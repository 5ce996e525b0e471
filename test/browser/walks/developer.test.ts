import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";
import type { BrowserContext, Page } from "playwright-core";
import { cardAgents } from "../../support/edge/agents.ts";
import { eventually } from "../../support/eventually.ts";
import { zipBytes } from "../../support/folder/zips.ts";
import { play } from "../../support/service/play.ts";
import { complaintsOf, keepScreenshot } from "../chromium.ts";
import { drop, dropAnywhere } from "../dashboard/drop.ts";
import { folders } from "../dashboard/folders.ts";
import { chooseOnProvider } from "../dashboard/person.ts";
import { visitor } from "../dashboard/visitor.ts";
import { overflowInFamilies } from "../fonts.ts";
import { qrCodeIn } from "../qr-code.ts";
import { until } from "../until.ts";
import { phoneDevice } from "./phone.ts";

/*
 * A person who makes a game, at a desk and on a phone, from the first page on, where plays are counted. The first one keeps the README's
 * pictures: docs/images/card.png, drop.png, live.png and phone.png are copies of build/screenshots/walk-*.png.
 */

const v = visitor({ env: { GAMES_STORE_ENDPOINT: undefined, SVC_STATISTICS_SECONDS: "1" } });
const files = folders();
const bounce = fileURLToPath(new URL("../../../examples/bounce/", import.meta.url));

/** The folder of the game's second release. */
function faster(): string {
  const folder = files.write("second", {});
  cpSync(bounce, folder, { recursive: true });
  const page = readFileSync(`${bounce}index.html`, "utf8").replace("<p>", "<p>Faster: ");
  return files.write("second", { "index.html": page });
}

/** Pictures of many looks, each examined, take a busy machine minutes. */
const longest = 300_000;

/** Draws the card that a chat shows of a link, of nothing but what the link's own page says in its tags. */
async function drawCard(page: Page, url: string, html: string): Promise<void> {
  await page.setViewportSize({ width: 480, height: 364 });
  await page.setContent(`<!doctype html><meta charset="utf-8"><style>
    body { margin: 0; padding: 20px; background: #fff; color: #1f2328; font: 16px/1.4 system-ui, sans-serif }
    .message { display: grid; grid-template-columns: 40px 1fr; gap: 2px 12px }
    .face { grid-row: span 3; width: 40px; height: 40px; border-radius: 50%; background: #5438d2; color: #fff; font: 600 15px/40px system-ui, sans-serif; text-align: center }
    a { color: #0a5ad6; text-decoration: none }
    .card { display: grid; gap: 6px; margin-top: 6px; padding: 12px 14px; border-left: 4px solid #5438d2; border-radius: 6px; background: #f3f3f5 }
    .site { color: #57606a; font-size: 13px }
    .title { font-weight: 600 }
    img { width: 100%; border-radius: 6px }
  </style><div class="message"><span class="face">RF</span><b>Rosalind</b><a class="link"></a>
  <div class="card"><span class="site"></span><a class="title"></a><span class="text"></span><img alt=""></div></div>`);
  await page.evaluate(
    `(({ url, html }) => {
      const read = new DOMParser().parseFromString(html, "text/html");
      const tag = (name) => read.querySelector('meta[property="og:' + name + '"]')?.content ?? "";
      document.querySelector(".link").textContent = url;
      for (const [part, name] of Object.entries({ site: "site_name", title: "title", text: "description" }))
        document.querySelector("." + part).textContent = tag(name);
      document.querySelector("img").src = tag("image");
    })(${JSON.stringify({ url, html })})`,
  );
  await until(page, `document.querySelector("img").naturalWidth`, 1_200);
}

/** Page that a link or button opens. */
async function opened(context: BrowserContext, open: () => Promise<unknown>): Promise<Page> {
  const [page] = await Promise.all([context.waitForEvent("page"), open()]);
  return page;
}

test(
  "at a desk: drops a game on the first page, signs in, plays it, shares it with a phone, and publishes again",
  async () => {
    const { page, context } = v;
    const complaints = complaintsOf(page);
    await page.goto(v.service.dashboard);
    await page.getByRole("button", { name: "Sign in" }).waitFor();
    await dropAnywhere(page, bounce);
    await page.getByText("bounce is ready.").waitFor();
    const provider = await opened(context, () => page.getByRole("button", { name: "Sign in" }).click());
    await chooseOnProvider(provider, "Rosalind Franklin");
    const name = page.getByRole("textbox", { name: "Name" });
    await name.waitFor();
    // Nothing is made yet, and a drop anywhere begins again.
    await v.button("Cancel").click();
    await page.getByText("Publish your first game").waitFor();
    await drop(page, bounce);
    // As its page calls itself.
    expect(await name.inputValue()).toBe("Bounce");
    await name.fill("Helix Game");
    await page.getByText(/^bounce: \d files/).waitFor();
    await v.button("Publish").waitFor();
    await page.getByRole("textbox", { name: "What is new" }).fill("The first one");
    await v.button("Publish").click();
    await page.getByText("It is live.").waitFor();
    await page.locator(":focus", { hasText: /^It is live\.$/ }).waitFor();
    const url = `http://helix-game.${v.service.gamesDomain}/`;
    await page.getByText(`<iframe src="${url}" title="Helix Game"`).waitFor();
    const game = await opened(context, () => page.getByRole("dialog").getByRole("link", { name: "Play" }).click());
    await game.locator("canvas").waitFor();
    expect(game.url()).toBe(url);
    await v.button("Close").click();
    const live = page.getByRole("region", { name: "Live release" });
    await live.getByRole("heading", { name: "#1 The first one" }).waitFor();

    await v.button("Share").click();
    const qrCode = page.getByRole("img", { name: "QR code of the URL" });
    await qrCode.scrollIntoViewIfNeeded();
    const png = await page.screenshot();
    await page.keyboard.press("Escape");
    const blank = await context.newPage();
    expect(await qrCodeIn(png, (expression) => blank.evaluate(expression))).toBe(url);
    const phone = await v.browser.newContext({ ...phoneDevice, deviceScaleFactor: 1 });
    const friend = await phone.newPage();
    await friend.goto(url);
    await friend.locator("canvas").waitFor();
    expect(await friend.locator("canvas").boundingBox()).toMatchObject({ x: 0, width: 390 });
    await keepScreenshot(friend, "walk-phone");
    await phone.close();

    const { body } = await play(v.service, "helix-game", { headers: cardAgents["Discord"] ?? {} });
    await drawCard(blank, url, body.toString());
    await blank.getByText("Helix Game", { exact: true }).waitFor();
    await keepScreenshot(blank, "walk-card");

    await page.emulateMedia({ colorScheme: "light" });
    await drop(page, faster());
    await page.getByText("1 file changes").waitFor();
    await page.getByRole("textbox", { name: "What is new" }).fill("A faster ball");
    await keepScreenshot(page, "walk-drop");
    await v.button("Publish").click();
    await page.getByText("It is live.").waitFor();
    await v.button("Close").click();
    await live.getByRole("heading", { name: "#2 A faster ball" }).waitFor();
    const happened = page.getByRole("region", { name: "What happened" });
    await happened.getByRole("link", { name: "#2 A faster ball" }).first().waitFor();
    await game.reload();
    expect(await game.locator("p").textContent()).toMatch(/^Faster: /);
    await keepScreenshot(page, "walk-live");
    expect(complaints).toEqual([]);
  },
  longest,
);

/** A game that draws all the time, as the service's measurements need it. */
const drawing = `<!doctype html><meta name="viewport" content="width=device-width"><title>Pocket Game</title><h1>Pocket Game</h1>
<script>const draw = () => requestAnimationFrame(draw); draw();</script>`;

test(
  "on a phone: publishes a zip, sees that it was played, measures the phone itself, and shares the game",
  async () => {
    const context = await v.browser.newContext(phoneDevice);
    // A phone has a sheet for sharing; Chromium without a screen has none.
    await context.addInitScript(`navigator.share = async (data) => {
      globalThis.shared = data;
      throw new DOMException("", globalThis.refusal ?? "AbortError");
    }`);
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    const complaints = complaintsOf(page);
    const button = (name: string | RegExp) => page.getByRole("button", { name, exact: true });
    const isNarrow = async () => expect(await overflowInFamilies(page)).toEqual({ wide: 0, narrow: 0 });
    const showTab = async (name: string) => {
      await page.getByRole("navigation", { name: "Project" }).getByRole("link", { name, exact: true }).tap();
      await page.getByRole("link", { name, exact: true }).and(page.locator("[aria-current]")).waitFor();
      await isNarrow();
    };

    await page.goto(v.service.dashboard);
    await button("Sign in").tap();
    await chooseOnProvider(page, "Chien-Shiung Wu");
    await page.getByText("Publish your first game").waitFor();
    await isNarrow();
    const zip = join(files.parent, "phone.zip");
    writeFileSync(zip, await zipBytes({ "index.html": drawing }));
    await page.locator("input[type=file]:not([webkitdirectory])").setInputFiles(zip);
    // The choices are in sight without scrolling.
    await button("Publish").waitFor();
    const end = await button("Publish").evaluate((one) => one.getBoundingClientRect().bottom);
    expect(end).toBeLessThanOrEqual(phoneDevice.viewport.height);
    await button("Publish").tap();
    await page.getByText("It is live.").waitFor();
    await isNarrow();
    await button("Close").tap();
    const play = page.locator(".project-header").getByRole("link", { name: "Play" });
    const game = await opened(context, () => play.tap());
    await game.getByRole("heading", { name: "Pocket Game" }).waitFor();
    await game.close();
    await page.bringToFront();

    await showTab("Statistics");
    await eventually(async () => {
      await page.reload();
      await page.getByRole("table", { name: "From where" }).getByText("Unknown").waitFor({ timeout: 2_000 });
    });
    await isNarrow();

    await showTab("Performance");
    await button("Make a link").tap();
    await button("Make the link").tap();
    const link = (await page.getByRole("dialog").locator("code").textContent()) ?? "";
    await isNarrow();
    await button("Watch it").tap();
    await page.getByText("Waiting for the first frames").waitFor();
    const measured = await context.newPage();
    await measured.goto(link);
    await measured.frameLocator("iframe").getByRole("heading", { name: "Pocket Game" }).waitFor();
    await measured.getByText("The developer sees frame times").waitFor();
    await until(measured, "performance.now() > 3000");
    await measured.locator("#stop").tap();
    await measured.locator("#status").getByText("Done").waitFor();
    await measured.close();
    await page.bringToFront();
    await page
      .getByRole("region", { name: "Verdict" })
      .getByText(/Chrom\w+ \d+ on Android/)
      .waitFor();
    await isNarrow();

    await showTab("Releases");
    await showTab("Settings");
    await button("Invite").tap();
    await button("Make a link").tap();
    await button("Share…").tap();
    expect(await page.evaluate("shared")).toEqual({
      title: "Invitation to Pocket Game",
      url: await page.getByRole("dialog").locator("code").textContent(),
    });
    await isNarrow();
    await button("Done").tap();
    await showTab("Overview");
    await button("Share").tap();
    await button("Share…").tap();
    const url = `http://pocket-game.${v.service.gamesDomain}/`;
    expect(await page.evaluate("shared")).toEqual({ title: "Pocket Game", url });
    // Whoever closes the sheet reads nothing; another error is shown.
    expect(await page.getByRole("alert").count()).toBe(0);
    expect(complaints).toEqual([]);
    await page.evaluate("globalThis.refusal = 'NotAllowedError'");
    await button("Share…").tap();
    await page.getByRole("alert").waitFor();
    await context.close();
  },
  longest,
);
