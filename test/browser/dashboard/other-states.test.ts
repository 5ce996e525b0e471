import { expect, test } from "@jest/globals";
import { keys } from "../../../functions/table/keys.ts";
import { newSlug, publish } from "../../support/service/steps.ts";
import { setAttribute } from "../../support/table/stored.ts";
import { keepScreenshot } from "../chromium.ts";
import { drop } from "./drop.ts";
import { folders } from "./folders.ts";
import { chooseOnProvider } from "./person.ts";
import { lookAt } from "./screens.ts";
import { visitor } from "./visitor.ts";

/* The states that no other test looks at on its way, so that `npm run test:browser -- dashboard own-pages` has each: light, dark, wide and narrow. */

const v = visitor();
const games = folders();
const longest = 300_000;

async function newProject(): Promise<string> {
  const slug = newSlug();
  await v.ada.post("/projects", { slug, name: "Bounce" });
  return slug;
}

const pages: readonly (readonly [name: string, path: string, shown: string])[] = [
  ["no-such-page", "nothing/here", "Go on at your projects."],
  ["no-such-project", "projects/no-such-project", "You have no project at this address."],
  ["no-such-invitation", "invitations/no-such-project/abc", "An invitation"],
  ["request-refused", "authorize?client_id=nobody", "This request cannot be approved"],
  ["machine-code", "device", "Type the code that svc login --device shows."],
];

test.each(pages)(
  "the page %s has no finding",
  async (name, path, shown) => {
    await v.enter();
    await v.page.goto(v.service.dashboard + path);
    await v.page.getByText(shown).waitFor();
    await v.page.locator(".skeleton").first().waitFor({ state: "detached" });
    expect(await lookAt(v.page, name)).toEqual([]);
  },
  longest,
);

test.each([
  ["approved", "Approve", "The device is signed in"],
  ["denied", "Deny", "The device gets nothing."],
])(
  "a machine that was %s has no finding",
  async (name, button, shown) => {
    const body = new URLSearchParams({ client_id: "svc-cli" });
    const response = await fetch(`${v.service.api}/oauth/device_authorization`, { method: "POST", body });
    const { user_code: code } = (await response.json()) as { user_code: string };
    await v.enter(`device?user_code=${code}`);
    await v.button("Continue").click();
    const sent = v.page.waitForRequest((request) => request.method() === "POST" && request.url().includes(code));
    await v.button(button).click();
    // It proposes no name, so that one press is enough.
    if (button === "Approve") expect((await sent).postDataJSON()).toMatchObject({ name: "another device" });
    await v.page.getByText(shown).waitFor();
    expect(await lookAt(v.page, `machine-${name}`)).toEqual([]);
  },
  longest,
);

test(
  "a project's settings and its dialog Share have no finding",
  async () => {
    const slug = await newProject();
    await publish(v.ada, slug, { "index.html": "1" });
    await v.enter(`projects/${slug}`);
    await v.tab("Settings");
    await v.button("Delete project").waitFor();
    expect(await lookAt(v.page, "settings")).toEqual([]);
    await v.button("Share").click();
    await v.page.getByText("To show it on another page").waitFor();
    const dialog = v.page.getByRole("dialog");
    await dialog.getByText("Shape, keyboard and permissions").click();
    await dialog.getByLabel("9:16").check();
    await dialog.getByLabel("Tilt and motion of the device").check();
    await dialog.getByLabel("Keyboard from the start").check();
    await v.page
      .getByText(/aspect-ratio:9\/16.* allow="autoplay; .*; accelerometer; gyroscope" onload="this\.focus\(\)">/)
      .waitFor();
    await dialog.getByLabel("Tilt and motion of the device").uncheck();
    await dialog.getByText(/cross-origin-isolated" onload/).waitFor();
    expect(await lookAt(v.page, "share-frame")).toEqual([]);
    await dialog.getByText("Shape, keyboard and permissions").click();
    // On paper it is a poster.
    await v.page.emulateMedia({ media: "print", colorScheme: "dark" });
    await keepScreenshot(v.page, "dashboard-share-print");
    const shown = await v.page.evaluate("document.body.innerText.trim().split(/\\s*\\n\\s*/)");
    expect(shown).toEqual(["Bounce", expect.stringMatching(/^http:\/\/\S+$/)]);
    expect(await v.page.getByRole("img", { name: "QR code of the URL" }).isVisible()).toBe(true);
    await v.page.emulateMedia({ media: "screen", colorScheme: "light" });
  },
  longest,
);

test("the filters of projects are one row on a phone, with Needs attention only if a project needs it", async () => {
  const slugs = await Promise.all(Array.from({ length: 10 }, newProject));
  await v.page.setViewportSize({ width: 390, height: 844 });
  await v.enter();
  const filters = v.page.getByRole("group", { name: "Show" }).locator("label");
  await filters.first().waitFor();
  expect(await filters.allInnerTexts()).toEqual([
    ...[expect.stringMatching(/^All 1\d$/), expect.stringMatching(/^Live \d$/)],
    ...["Previews 0", expect.stringMatching(/^Not live 1\d$/)],
  ]);
  const tops = await filters.evaluateAll((labels) => labels.map((label) => label.getBoundingClientRect().top));
  expect(new Set(tops).size).toBe(1);
  const suspension = { at: new Date().toISOString(), reason: "spam" };
  await setAttribute(v.service, keys.project(String(slugs[0])), "suspension", suspension);
  await v.page.reload();
  await filters.getByText("Needs attention 1").waitFor();
});

test("a project's whole address is in sight on a narrow phone", async () => {
  const slug = `a-long-address-of-a-game-${newSlug()}`.slice(0, 40);
  await v.ada.post("/projects", { slug, name: "Bounce" });
  await publish(v.ada, slug, { "index.html": "1" });
  await v.page.setViewportSize({ width: 320, height: 640 });
  await v.enter(`projects/${slug}`);
  const address = v.page.getByRole("link", { name: `${slug}.${v.service.gamesDomain}` });
  await address.waitFor();
  const place = await v.page.evaluate(`(({ scrollWidth, clientWidth }, { left, right }) =>
    ({ isInside: left >= 0 && right <= 320, isWhole: scrollWidth <= clientWidth }))(
      ...((link) => [link, link.getBoundingClientRect()])(document.querySelector(".status a")))`);
  expect(place).toEqual({ isInside: true, isWhole: true });
});

test(
  "what a release says is new is edited in its menu, and the history says by whom",
  async () => {
    const slug = await newProject();
    await publish(v.ada, slug, { "index.html": "1" });
    await v.enter(`projects/${slug}/releases`);
    await v.button("More for Release #1").click();
    await v.button(/^Edit what is new/).click();
    await v.page.getByLabel("What is new", { exact: true }).fill("Faster ships");
    expect(await lookAt(v.page, "edit-notes")).toEqual([]);
    await v.button("Save").click();
    await v.page.getByRole("heading", { name: "#1 Faster ships" }).waitFor();
    await v.page.goto(`${v.service.dashboard}projects/${slug}/history`);
    await v.page.getByText("edited what is new in").waitFor();
  },
  longest,
);

test(
  "an upload under way, and the preview that it becomes, have no finding",
  async () => {
    const slug = await newProject();
    await v.enter(`projects/${slug}`);
    const held = Promise.withResolvers<void>();
    await v.page.route(`${v.service.s3Endpoint}/**`, async (route) => {
      if (route.request().method() === "PUT") await held.promise;
      await route.continue();
    });
    await drop(v.page, games.write(slug, { "index.html": slug }));
    await v.button("Preview first").click();
    await v.page.getByText("Uploading…").waitFor();
    expect(await lookAt(v.page, "uploading")).toEqual([]);
    held.resolve();
    await v.page.getByText("The preview is open.").waitFor();
    expect(await lookAt(v.page, "preview-open")).toEqual([]);
  },
  longest,
);

test("who gets no name from the provider is asked for one, until one is saved", async () => {
  await v.page.goto(`${v.service.dashboard}account`);
  await v.button("Sign in").click();
  // An email address is nobody's public name.
  await chooseOnProvider(v.page, "nameless@example.test");
  const hint = v.page.getByText("Your identity provider gives no name, so others see this one. Choose another here.");
  await hint.waitFor();
  await v.page.getByLabel("Name", { exact: true }).fill("Nadia");
  await v.button("Save").click();
  await hint.waitFor({ state: "detached" });
});
