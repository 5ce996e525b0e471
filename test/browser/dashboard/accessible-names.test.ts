import { expect, test } from "@jest/globals";
import { manifestOf, newSlug } from "../../support/service/steps.ts";
import { lookAt } from "./screens.ts";
import { visitor } from "./visitor.ts";

/* Names in any script, and addresses before they are sent. */

const v = visitor();
const field = (name: string) => v.page.getByRole("textbox", { name });

test("an address that is taken is said so while it is typed", async () => {
  const slug = newSlug();
  await v.ada.post("/projects", { slug, name: "Bounce" });
  await v.enter();
  await v.button("New project").click();
  await field("Name").fill(slug);
  await v.page.getByText("This address is taken. Choose another one.").waitFor();
  await field("Name").fill(newSlug());
  await v.page.getByText("This address is taken.").waitFor({ state: "detached" });
});

test("a name in another script has an address suggested, and its own direction", async () => {
  await v.enter();
  await v.button("New project").click();
  await field("Name").fill("لعبة القفز");
  expect(await field("Address").inputValue()).toMatch(/^my-game-[0-9a-f]{6}$/);
  await v.button("Create project").click();
  const title = v.page.getByRole("heading", { name: "لعبة القفز", level: 1 });
  await title.waitFor();
  expect(await title.evaluate((element) => element.matches(":dir(rtl)"))).toBe(true);
  expect(await lookAt(v.page, "name-right-to-left")).toEqual([]);
}, 300_000);

test("a release whose message is in another script has its direction, and numbers are as the words are, in English", async () => {
  const slug = newSlug();
  await v.ada.post("/projects", { slug, name: "Bounce" });
  await v.ada.post(`/projects/${slug}/releases`, { files: manifestOf({ "index.html": "1" }), message: "كرة أسرع" });
  const context = await v.browser.newContext({ locale: "de-DE" });
  const page = await context.newPage();
  await v.enter(`projects/${slug}/releases`, { page });
  const title = page.getByRole("heading", { name: "كرة أسرع", level: 3 });
  await title.waitFor();
  expect(await title.evaluate((element) => element.matches(":dir(rtl)"))).toBe(true);
  await page.goto(`${v.service.dashboard}account`);
  await page.getByText(/ of 250,000 files\./).waitFor();
  await context.close();
});
