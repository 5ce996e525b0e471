import { expect, test } from "@jest/globals";
import { newSlug, publish } from "../../support/service/steps.ts";
import { stayOnReload } from "./leaving.ts";
import { lookAt } from "./screens.ts";
import { visitor } from "./visitor.ts";

/*
 * Settings that are not saved do not vanish without a question.
 */

const v = visitor();
const question = () => v.page.getByRole("dialog", { name: "Leave without saving?" });
const answer = (name: string) => question().getByRole("button", { name }).click();
const pathname = () => new URL(v.page.url()).pathname;

test("another tab, another page, Back and a reload ask before settings vanish, and not once they are saved", async () => {
  const slug = newSlug();
  await v.ada.post("/projects", { slug, name: "Bounce" });
  await publish(v.ada, slug, { "index.html": "one" });
  await v.enter(`projects/${slug}`);
  await v.tab("Settings");
  const settings = `/projects/${slug}/settings`;
  await v.page.getByLabel("Name", { exact: true }).fill("Bounce 2");
  await v.page.getByRole("checkbox", { name: "Single page" }).check();

  await v.tab("Releases");
  await question().waitFor();
  expect(await lookAt(v.page, "unsaved")).toEqual([]);
  await answer("Keep editing");
  await v.page.goBack();
  await answer("Keep editing");
  expect(pathname()).toBe(settings);
  expect(await v.page.getByLabel("Name", { exact: true }).inputValue()).toBe("Bounce 2");
  expect(await stayOnReload(v.page)).toEqual(["beforeunload"]);

  await v.button("Discard changes").click();
  await v.button("Save").click();
  await v.page.getByText("Saved", { exact: true }).waitFor();
  await v.tab("Overview");
  await v.page.getByRole("region", { name: "Live release" }).waitFor();
  expect(await question().count()).toBe(0);

  await v.tab("Settings");
  await v.page.getByRole("checkbox", { name: "Single page" }).check();
  await v.page.goBack();
  await answer("Leave");
  await v.page.getByRole("region", { name: "Live release" }).waitFor();
  await v.tab("Settings");
  expect(await v.page.getByRole("checkbox", { name: "Single page" }).isChecked()).toBe(false);

  await v.page.goto(`${v.service.dashboard}account`);
  await v.page.getByLabel("Name", { exact: true }).fill("Ada B.");
  await v.page.getByRole("link", { name: "Tokens" }).click();
  await answer("Leave");
  await v.page.getByRole("heading", { name: "Tokens", level: 1 }).waitFor();
}, 240_000);

test("Save does nothing while nothing is changed, and keeps the focus", async () => {
  const slug = newSlug();
  await v.ada.post("/projects", { slug, name: "Bounce" });
  const bodies: unknown[] = [];
  v.page.on("request", (request) => {
    if (request.method() === "PATCH") bodies.push(request.postDataJSON());
  });
  await v.enter(`projects/${slug}/settings`);
  const name = v.page.getByLabel("Name", { exact: true });
  await name.waitFor();
  expect(await v.button("Save").isDisabled()).toBe(true);
  await name.press("Enter");
  for (const written of ["Bounce 2", "Bounce 3"]) {
    await name.fill(written);
    await v.button("Save").click();
    await v.page.getByText("Saved", { exact: true }).waitFor();
    expect(await v.button("Save").isDisabled()).toBe(true);
    expect(await v.page.evaluate("document.activeElement.textContent")).toBe("Save");
    await v.page.keyboard.press("Enter");
  }
  expect(bodies).toEqual([{ name: "Bounce 2" }, { name: "Bounce 3" }]);
});

test("pictures that are chosen and not saved ask before they vanish, also after the project was read anew", async () => {
  const slug = newSlug();
  await v.ada.post("/projects", { slug, name: "Bounce" });
  await publish(v.ada, slug, { "index.html": "one" });
  await v.ada.patch(`/projects/${slug}`, { pictures: [] });
  await v.enter(`projects/${slug}/settings`);
  const choose = () => v.button("Choose a picture").click();
  const named = () => v.page.getByRole("checkbox", { name: "Files that are named as screenshots" });
  const leave = () => v.tab("Releases");
  const left = () => v.page.getByRole("searchbox").or(v.page.getByText("Release #1")).first().waitFor();
  await choose();
  await named().waitFor();
  await v.ada.patch(`/projects/${slug}`, { name: "Bounce 2" });
  await v.page.evaluate("dispatchEvent(new Event('focus'))");
  await v.page.getByRole("heading", { name: /Bounce 2/ }).waitFor();
  await leave();
  await left();
  expect(await question().count()).toBe(0);

  await v.tab("Settings");
  await choose();
  await named().check();
  await leave();
  await question().waitFor();
  await answer("Keep editing");
  expect(await named().isChecked()).toBe(true);
  await v.button("Save pictures").click();
  await v.button("Choose a picture").waitFor();
  await leave();
  await left();
  expect(await question().count()).toBe(0);
});
