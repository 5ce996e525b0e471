import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { pngOf } from "../../support/edge/png.ts";
import { makeLive, manifestOf, newSlug, openRelease } from "../../support/service/steps.ts";
import { until } from "../until.ts";
import { drop } from "./drop.ts";
import { folders } from "./folders.ts";
import { layoutShiftOf, shiftObserver } from "./layout-shift.ts";
import { lookAt } from "./screens.ts";
import { visitor } from "./visitor.ts";

/* The pictures of games in the lists of the dashboard, loaded from the games' own hosts. */

const v = visitor();
const games = folders();
const longest = 300_000;

/** A wide drawing, as games give to social networks. */
const cover = (colour: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1200 630"><rect width="1200" height="630" fill="${colour}"/><circle cx="600" cy="400" r="180" fill="white"/></svg>`;

/** Slug of a project: projects are listed in the order of their addresses. */
const slugOf = (name: string) => name.toLowerCase().replaceAll(" ", "-");

/** A live project of Ada's with a picture, as a publisher names it. */
async function pictured(name: string, picture: string, content: string): Promise<string> {
  const slug = slugOf(name);
  await v.ada.post("/projects", { slug, name });
  const folder = { "index.html": slug, [picture]: content };
  const { body } = await openRelease(v.ada, slug, folder);
  await v.ada.post(`/projects/${slug}/releases`, { files: manifestOf(folder), picture });
  await makeLive(v.ada, slug, body.release.id);
  return slug;
}

const pictureOf = (name: string) => v.page.getByRole("img", { name: `Picture of ${name}` });

/** Waits until the picture is painted: the host may get the release some seconds after it went live. */
const isPainted = (name: string) =>
  until(
    v.page,
    `[...document.images].some(({ alt, naturalWidth }) => alt === "Picture of ${name}" && naturalWidth > 0)`,
  );

test(
  "a game that is dropped has the picture of its page, in the list and on its page",
  async () => {
    const slug = slugOf("Sun Runner");
    await v.ada.post("/projects", { slug, name: "Sun Runner" });
    await v.enter(`projects/${slug}`);
    await v.page.getByRole("region", { name: "Publish" }).waitFor();
    const page = `<!doctype html><meta property="og:image" content="https://elsewhere.example/art/sun.svg"><title>${slug}</title>`;
    await drop(
      v.page,
      games.write("sun", { "index.html": page, "art/sun.svg": cover("orange"), "cover.png": "no image" }),
    );
    await v.page.getByText("Lists, the game’s page and links to it show art/sun.svg.").waitFor();
    const requests: Record<string, string>[] = [];
    v.page.on("request", (request) => request.url().includes("/art/sun.svg") && requests.push(request.headers()));
    await v.button("Publish").click();
    await v.page.getByText("It is live.").waitFor();
    await v.page.getByRole("dialog").getByRole("img", { name: "Picture of Sun Runner" }).waitFor();
    await isPainted("Sun Runner");
    await v.button("Close").click();
    await isPainted("Sun Runner");
    expect(await pictureOf("Sun Runner").getAttribute("src")).toBe(
      `http://${slug}.${v.service.gamesDomain}/art/sun.svg`,
    );
    const attributes = ["loading", "referrerpolicy"].map((name) => pictureOf("Sun Runner").getAttribute(name));
    expect(await Promise.all(attributes)).toEqual(["lazy", "no-referrer"]);
    expect(requests.length).toBeGreaterThan(0);
    expect(requests.filter(({ referer, cookie }) => referer || cookie)).toEqual([]);

    await pictured("Moon", "icon.svg", cover("steelblue").replace("0 0 1200 630", "285 85 630 630"));
    await v.ada.post("/projects", { slug: "not-yet-published", name: "Not yet published" });
    const taken = await pictured("Taken back", "cover.svg", cover("red"));
    await v.ada.post(`/projects/${taken}/unpublish`);
    await v.page.getByRole("link", { name: "Projects" }).first().click();
    await Promise.all([isPainted("Sun Runner"), isPainted("Moon")]);
    expect(await v.page.locator("img.picture").count()).toBe(2);
    expect(await lookAt(v.page, "picture-list")).toEqual([]);
  },
  longest,
);

/** A PNG of 2,400 × 1,260 noisy points, as a screenshot has them. */
async function screenshotFile(): Promise<string> {
  const blank = await v.context.newPage();
  const base64 = (await blank.evaluate(`(async () => {
    const canvas = new OffscreenCanvas(2400, 1260);
    const context = canvas.getContext("2d");
    const image = context.createImageData(2400, 1260);
    let noise = 1;
    for (let at = 0; at < image.data.length; at += 1) {
      noise = (Math.imul(noise, 1103515245) + 12345) & 0x7fffffff;
      image.data[at] = at % 4 === 3 ? 255 : (noise >> 16) & 255;
    }
    context.putImageData(image, 0, 0);
    const blob = await canvas.convertToBlob();
    const bytes = new Uint8Array(await blob.arrayBuffer());
    let text = "";
    for (const byte of bytes) text += String.fromCharCode(byte);
    return btoa(text);
  })()`)) as string;
  await blank.close();
  return join(games.write("chosen", { "shot.png": Buffer.from(base64, "base64") }), "shot.png");
}

test(
  "a picture is chosen in the review, scaled, kept for the next release in another browser, and removed",
  async () => {
    const slug = newSlug();
    await v.ada.post("/projects", { slug, name: "Chosen" });
    await v.enter(`projects/${slug}`);
    await v.page.getByRole("region", { name: "Publish" }).waitFor();
    await drop(v.page, games.write(slug, { "index.html": slug }));
    await v.page.getByText("It has no picture: lists show its first letters.").waitFor();
    const input = v.page.locator('dialog input[type="file"]');
    await input.setInputFiles(join(games.write("text", { "text.png": "text" }), "text.png"));
    await v.page.getByText("text.png is no picture that this browser can read.").waitFor();
    // So that choosing it again is a change.
    expect(await input.inputValue()).toBe("");
    await input.setInputFiles(await screenshotFile());
    await v.page.getByText("Lists, the game’s page and links to it show this.").waitFor();
    await v.page.getByText("text.png is no picture").waitFor({ state: "detached" });
    const thumbnail = v.page.getByRole("img", { name: "The picture that you have chosen" });
    expect(await lookAt(v.page, "picture-chosen", thumbnail)).toEqual([]);
    await v.button("Publish").click();
    await v.page.getByText("It is live.").waitFor();
    await v.button("Close").click();
    await isPainted("Chosen");
    expect(await pictureOf("Chosen").getAttribute("src")).toBe(`http://${slug}.${v.service.gamesDomain}/cover.jpg`);
    const size = await v.page.evaluate(
      '(({ naturalWidth, naturalHeight }) => [naturalWidth, naturalHeight])(document.querySelector(".live img.picture"))',
    );
    expect(size).toEqual([1_200, 630]);
    await v.page.locator(".project-actions").getByRole("button", { name: "More for Chosen" }).click();
    const page = v.page.getByRole("link", { name: "Public page" });
    const [opened] = await Promise.all([v.context.waitForEvent("page"), page.click()]);
    await opened.getByRole("heading", { name: "Chosen" }).waitFor();
    await until(opened, "document.querySelector('img').naturalWidth", 1_200);

    // Another browser has not chosen it, and sends no byte of it.
    await v.page.evaluate(
      "for (const key of Object.keys(localStorage)) if (key.startsWith('svc.publish.')) localStorage.removeItem(key)",
    );
    await drop(v.page, games.write(slug, { "index.html": "Two" }));
    await v.page.getByText("1 file changes").waitFor();
    await v.page.getByText("show this, which was chosen before.").waitFor();
    await until(v.page, "document.querySelector('dialog img.picture').naturalWidth", 1_200);
    await v.button("Publish").click();
    await v.page.getByText("It is live.").waitFor();
    await v.button("Close").click();
    expect(await pictureOf("Chosen").first().getAttribute("src")).toMatch(/cover\.jpg$/);

    await drop(v.page, games.write(slug, { "index.html": "Three" }));
    await v.page.getByText("1 file changes").waitFor();
    await v.button("Remove picture").click();
    await v.page.getByText("1 file goes away").waitFor();
    await v.page.getByText("It has no picture: lists show its first letters.").waitFor();
  },
  longest,
);

test(
  "a picture of the folder is chosen in the review, and the next release shows its own file of that name",
  async () => {
    const slug = newSlug();
    await v.ada.post("/projects", { slug, name: "Offered" });
    await v.enter(`projects/${slug}`);
    await v.page.getByRole("region", { name: "Publish" }).waitFor();
    const files = (look: number) => ({
      ...{ "index.html": `${look}`, "cover.png": pngOf(640, 360), "art/boss.png": pngOf(600 + look, 300) },
    });
    await drop(v.page, games.write(slug, files(1)));
    await v.page.getByText("Lists, the game’s page and links to it show cover.png.").waitFor();
    await v.button("Pictures of the folder").click();
    expect(await v.page.getByRole("radio", { name: "cover.png" }).isChecked()).toBe(true);
    expect(await lookAt(v.page, "picture-offered", v.page.getByRole("radio", { name: "art/boss.png" }))).toEqual([]);
    await v.page.getByRole("radio", { name: "art/boss.png" }).check();
    await v.page.getByText("Lists, the game’s page and links to it show art/boss.png.").waitFor();
    await v.button("Publish").click();
    await v.page.getByText("It is live.").waitFor();
    await v.button("Close").click();
    await drop(v.page, games.write(slug, files(2)));
    await v.page.getByText("2 files change").waitFor();
    await v.page.getByText("Lists, the game’s page and links to it show art/boss.png.").waitFor();
    await v.button("Publish").click();
    await v.page.getByText("It is live.").waitFor();
    const { body } = await v.ada.get(`/projects/${slug}`);
    expect(body.picture_url).toContain("/art/boss.png");
  },
  longest,
);

test("a picture that cannot be loaded is a letter in the same place, and is asked for again", async () => {
  await v.page.addInitScript(shiftObserver);
  const slug = await pictured("Late Game", "cover.svg", cover("green"));
  let isThere = false;
  await v.page.route(`http://${slug}.${v.service.gamesDomain}/**`, (route) =>
    isThere ? route.continue() : route.fulfill({ status: 404, body: "There is no game here." }),
  );
  await v.enter();
  const row = v.page.getByRole("listitem").filter({ hasText: "Late Game" });
  await row.getByText("LG", { exact: true }).waitFor();
  const letters = await row.locator(".picture").boundingBox();
  isThere = true;
  await isPainted("Late Game");
  expect(await pictureOf("Late Game").boundingBox()).toEqual(letters);
  expect(await layoutShiftOf(v.page)).toEqual({ shift: 0, moved: [] });
});

test(
  "Settings take another image of the live release as the picture, without an upload",
  async () => {
    const slug = slugOf("Cave Diver");
    await v.ada.post("/projects", { slug, name: "Cave Diver" });
    const folder = { "index.html": slug, "cover.svg": cover("teal"), "art/boss 1.svg": cover("crimson") };
    const { body } = await openRelease(v.ada, slug, folder);
    await v.ada.post(`/projects/${slug}/releases`, { files: manifestOf(folder), picture: "cover.svg" });
    await makeLive(v.ada, slug, body.release.id);
    await v.enter(`projects/${slug}/settings`);
    await v.page.getByText("Lists, the game’s page and links in chats show cover.svg.").waitFor();
    await v.button("Choose another picture").click();
    await v.page.getByRole("radio", { name: "art/boss 1.svg" }).check();
    await v.button("Save pictures").click();
    await v.page.getByText("links in chats show art/boss 1.svg, which was chosen here.").waitFor();
    expect((await v.ada.get(`/projects/${slug}`)).body.picture_url).toContain("/art/boss%201.svg");
    await v.button("Choose another picture").click();
    await v.page.getByRole("radio", { name: "As each release names it" }).check();
    await v.page.getByRole("checkbox", { name: "Files that are named as screenshots" }).uncheck();
    await v.page.getByRole("checkbox", { name: "art/boss 1.svg" }).check();
    expect(await lookAt(v.page, "pictures-setting", v.button("Save pictures"))).toEqual([]);
    await v.button("Save pictures").click();
    await v.page.getByText("Lists, the game’s page and links in chats show cover.svg.").waitFor();
    await v.page.getByLabel("How to play (optional)").fill("Arrow keys dive.");
    await v.button("Save").click();
    await v.page.getByText("Saved", { exact: true }).waitFor();
    expect((await v.ada.get(`/projects/${slug}`)).body).toMatchObject({
      ...{ picture: null, pictures: ["art/boss 1.svg"], how_to_play: "Arrow keys dive." },
    });
  },
  longest,
);
