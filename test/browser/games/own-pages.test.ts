import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { Browser, Page, Route } from "playwright-core";
import { readProject } from "../../../functions/table/projects/project-items.ts";
import { setTrafficLimit } from "../../../functions/table/projects/traffic-limit-items.ts";
import { operate } from "../../../infra/operator/operator.ts";
import { pngOf } from "../../support/edge/png.ts";
import { makeLive, manifestOf, type UploadUrl, upload } from "../../support/service/steps.ts";
import { useFunctionEnvironment, useOwner, useService } from "../../support/service/suite.ts";
import { complaintsOf, launchChromium } from "../chromium.ts";
import { lookAtOwnPage } from "../dashboard/screens.ts";
import { until } from "../until.ts";

/*
 * The pages of a game's host that are the service's own: examined light and dark, wide and narrow, with no finding of axe. Outside of CI they are
 * kept as pictures at five widths, in forced colours too.
 */

const service = useService();
useFunctionEnvironment(service);
const ada = useOwner(service);
let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

/** A picture of 64 × 36 points. */
const picture = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 36"><rect width="64" height="36" fill="#4a3fd1"/><circle cx="32" cy="18" r="9" fill="#ff8a63"/></svg>`;

async function publish(message: string, more: Readonly<Record<string, Buffer>> = {}): Promise<void> {
  const folder = { "index.html": `<p>${message}`, "cover.svg": picture, ...more };
  const contents: readonly (string | Buffer)[] = Object.values(folder);
  const { status, body } = await ada.post(`/projects/${ada.slug}/releases`, {
    files: manifestOf(folder),
    picture: "cover.svg",
    message,
  });
  expect(status).toBe(201);
  const uploads: readonly UploadUrl[] = body.first_uploads.uploads;
  for (const target of uploads)
    expect(
      await upload(target, contents.find((text) => manifestOf({ x: text })[0]?.sha256 === target.sha256) ?? ""),
    ).toBe(200);
  expect((await makeLive(ada, ada.slug, body.release.id)).status).toBe(200);
}

const lookAt = (page: Page, name: string) => lookAtOwnPage(page, `own-page-${name}`);

let page: Page;
let complaints: string[];
beforeEach(async () => {
  page = await browser.newPage();
  complaints = complaintsOf(page);
});
afterEach(() => page?.close());

test("the page of a preview that has ended has no finding, and leads to the game", async () => {
  await publish("What is live");
  await page.goto(`http://${ada.slug}--${"0".repeat(20)}.${service.gamesDomain}/level?x=1`);
  expect(await lookAt(page, "ended-preview")).toEqual([]);
  await page.getByRole("link", { name: "To the game" }).click();
  await page.getByText("What is live").waitFor();
});

test("the page of a game that is offline has no finding, and its name", async () => {
  await ada.patch(`/projects/${ada.slug}`, { name: "Star Hopper – 星跳び" });
  await publish("What was live");
  await ada.post(`/projects/${ada.slug}/unpublish`);
  await page.goto(`http://${ada.slug}.${service.gamesDomain}/`);
  await page.getByText("Star Hopper – 星跳び is not online now.").waitFor();
  expect(await lookAt(page, "offline")).toEqual([]);
  await page.getByRole("link", { name: "Try again" }).click();
  await page.getByText("Star Hopper – 星跳び is not online now.").waitFor();
});

test("the page of a game that is closed has no finding", async () => {
  await publish("What was live");
  await operate(["takedown", ada.slug, "--reason", "malware", "--without-games"], new Date());
  const response = await page.goto(`http://${ada.slug}.${service.gamesDomain}/level?x=1`);
  expect(response?.status()).toBe(410);
  await page.getByRole("heading", { name: "This game is closed" }).waitFor();
  expect(await lookAt(page, "taken-down")).toEqual([]);
});

test("the page of a game whose traffic is used up has no finding, its name and its day", async () => {
  await ada.patch(`/projects/${ada.slug}`, { name: "Star Hopper – 星跳び" });
  await publish("What was live");
  const project = await readProject(ada.slug);
  if (project === undefined) throw new Error("It is there.");
  await setTrafficLimit(project, new Date("2999-05-01T00:00:00.000Z"), new Date());
  await ada.patch(`/projects/${ada.slug}`, { description: "Brings the pointer to the edge" });
  await page.goto(`http://${ada.slug}.${service.gamesDomain}/`);
  await page.getByText("Star Hopper – 星跳び was played so much").waitFor();
  await page.getByText("It is back on 1 May.").waitFor();
  expect(await lookAt(page, "traffic")).toEqual([]);
});

test("the page that measures has no finding, with the game in it", async () => {
  await publish("What is measured");
  const { body } = await ada.post(`/projects/${ada.slug}/telemetry-grants`);
  await page.goto(body.url);
  await page.frameLocator("iframe").getByText("What is measured").waitFor();
  expect(await lookAt(page, "profile")).toEqual([]);
  expect(complaints).toEqual([]);
});

test.each([
  ["about", "/.well-known/svc/about", 200],
  ["report", "/.well-known/svc/report", 200],
  ["none", "/.well-known/svc/none", 404],
  ["missing", "/none", 404],
])("the page %s has no finding, and nothing goes beyond the side", async (name, path, status) => {
  const description = `Hop from star to star. ${"Supercalifragilistic".repeat(6)}\nالعربية`;
  await ada.patch(`/projects/${ada.slug}`, { name: "Star Hopper – 星跳び", description });
  await publish("A first world");
  await publish("A second world,\nand faster ships");
  const response = await page.goto(`http://${ada.slug}.${service.gamesDomain}${path}`);
  expect(response?.status()).toBe(status);
  expect(await lookAt(page, name)).toEqual([]);
  if (name !== "none") {
    await page.getByText("Star Hopper – 星跳び").first().waitFor();
    await until(page, 'document.querySelector("img").naturalWidth > 0');
  }
  // Chromium's console names a page with a status from 400 on.
  if (status === 200) expect(complaints).toEqual([]);
  if (name === "about") {
    await page.setViewportSize({ width: 1_280, height: 800 });
    await page.getByRole("link", { name: "Play" }).click();
    await page.frameLocator("iframe").getByText("A second world").waitFor();
    expect(await lookAt(page, "about-playing")).toEqual([]);
  }
});

test("the way on of a page can be read and has an edge in forced colours", async () => {
  await page.emulateMedia({ forcedColors: "active", colorScheme: "dark" });
  await page.goto(`http://${ada.slug}--${"0".repeat(20)}.${service.gamesDomain}/`);
  const colours =
    '(({ color, backgroundColor, borderStyle, borderColor }) => [color, backgroundColor, borderStyle, borderColor])(getComputedStyle(document.querySelector("b")))';
  const [text, ground, line, edge] = (await page.evaluate(colours)) as string[];
  expect(text).not.toBe(ground);
  expect([line, edge]).toEqual(["solid", text]);
});

const about = () => `http://${ada.slug}.${service.gamesDomain}/.well-known/svc/about`;

describe("other pictures of a game", () => {
  const shots = ["/screenshots/1.png", "/screenshots/2.png"];
  const release = { "screenshots/1.png": pngOf(64, 36), "screenshots/2.png": pngOf(36, 64) };
  let requested: string[];

  /** Opens the page of a game with a picture and two others. The picture is on its way until its route is ended. */
  async function open(): Promise<Route> {
    await publish("Pictured", release);
    requested = [];
    page.on("request", (request) => requested.push(new URL(request.url()).pathname));
    const coming = Promise.withResolvers<Route>();
    await page.route("**/cover.svg", coming.resolve);
    await page.goto(about(), { waitUntil: "domcontentloaded" });
    const route = await coming.promise;
    // Two frames later whatever is in sight has been requested.
    await page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))");
    return route;
  }

  test.each([
    ["has come", (route: Route) => route.continue()],
    ["cannot be had", (route: Route) => route.abort()],
  ])("are requested once the one that stands for it %s", async (_, end) => {
    const route = await open();
    expect(requested.filter((path) => shots.includes(path))).toEqual([]);
    await end(route);
    const shown = '[...document.querySelectorAll(".gallery img")].filter((image) => image.naturalWidth > 0).length';
    await until(page, shown, 2);
  });

  test("are shown without scripts", async () => {
    await publish("Pictured", release);
    const context = await browser.newContext({ javaScriptEnabled: false });
    const own = await context.newPage();
    const responses = shots.map((path) => own.waitForResponse((response) => response.url().endsWith(path)));
    await own.goto(about());
    expect((await Promise.all(responses)).map((response) => response.status())).toEqual([200, 200]);
    await context.close();
  });
});

describe("Play on the page of a game", () => {
  test("opens it in a frame that has the keyboard, also over the full screen, and closes it", async () => {
    await publish(
      '<output></output><script>onkeydown = ({ key }) => { document.querySelector("output").value += key }</script>',
    );
    await page.goto(about());
    await page.getByRole("link", { name: "Play" }).click();
    const keys = page.frameLocator("iframe").locator("output");
    await keys.waitFor({ state: "attached" });
    await until(page, "document.activeElement.tagName", "IFRAME");
    await page.keyboard.press("a");
    await page.getByRole("button", { name: "Full screen" }).click();
    await until(page, "document.fullscreenElement?.tagName", "IFRAME");
    await until(page, "document.activeElement.tagName", "IFRAME");
    await page.keyboard.press("b");
    expect(await keys.textContent()).toBe("ab");
    await page.evaluate("document.exitFullscreen()");
    await page.getByRole("button", { name: "Close the game" }).click();
    expect(await page.locator("iframe").count()).toBe(0);
    await until(page, "document.activeElement.textContent", "Play");
    expect(complaints).toEqual([]);
  });

  test.each(["light", "dark"] as const)(
    "shows a game without a colour of its own on white, as a tab does: %s",
    async (colorScheme) => {
      await publish("Black on white");
      await page.emulateMedia({ colorScheme });
      await page.goto(about());
      await page.getByRole("link", { name: "Play" }).click();
      await page.frameLocator("iframe").getByText("Black on white").waitFor();
      const frame = (await page.locator("iframe").screenshot()).toString("base64");
      const middle = await page.evaluate(`(async () => {
      const image = Object.assign(new Image(), { src: "data:image/png;base64,${frame}" });
      await image.decode();
      const context = document.createElement("canvas").getContext("2d");
      context.drawImage(image, -image.width / 2, -image.height / 2);
      return [...context.getImageData(0, 0, 1, 1).data];
    })()`);
      expect(middle).toEqual([255, 255, 255, 255]);
    },
  );

  test.each([
    ["a phone", { hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } }],
    ["without scripts", { javaScriptEnabled: false }],
  ])("opens it in a tab of its own: %s", async (_, options) => {
    await publish("What is played");
    const context = await browser.newContext(options);
    const own = await context.newPage();
    await own.goto(about());
    const [tab] = await Promise.all([context.waitForEvent("page"), own.getByRole("link", { name: "Play" }).click()]);
    await tab.getByText("What is played").waitFor();
    expect(await own.locator("iframe").count()).toBe(0);
    await context.close();
  });
});
