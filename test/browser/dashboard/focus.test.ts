import { expect, test } from "@jest/globals";
import { newProject, newSlug, publish } from "../../support/service/steps.ts";
import { until } from "../until.ts";
import { visitor } from "./visitor.ts";

/*
 * The keyboard's focus after an action. On the body, a screen reader starts again from the top.
 */

const v = visitor();

/** Waits until no dialog is open and an element of this kind, with this text, has the focus. */
async function isFocused(kind: string, text: string): Promise<void> {
  await v.page.getByRole("dialog").waitFor({ state: "detached" });
  await until(v.page, "[document.activeElement.localName, document.activeElement.innerText]", [kind, text]);
}

test("the skip link moves the focus to the content", async () => {
  await v.enter("tokens");
  await v.page.getByRole("heading", { name: "Tokens", level: 1 }).waitFor();
  await v.page.evaluate("document.activeElement.blur(); getSelection().removeAllRanges()");
  await v.page.getByRole("link", { name: "Skip to the content" }).focus();
  await v.page.keyboard.press("Enter");
  await until(v.page, "document.activeElement.id", "main");
  await until(v.page, "location.href", `${v.service.dashboard}tokens#main`);
  await v.page.keyboard.press("Tab");
  await isFocused("button", "New token");
});

test("after a token is revoked the focus stays in the content", async () => {
  const { id } = await v.ada.token({ name: "to revoke" });
  await v.enter("tokens");
  await v.button("Revoke to revoke").click();
  await v.button("Revoke").click();
  await v.button("Revoke to revoke").waitFor({ state: "detached" });
  await v.page.getByRole("dialog").waitFor({ state: "detached" });
  await until(v.page, "document.activeElement.closest('main') !== null");
  expect((await v.ada.get(`/tokens/${id}`)).body.status).toBe("revoked");
});

test("after a project is taken offline the focus is on its title", async () => {
  const slug = newSlug();
  await v.ada.post("/projects", { slug, name: "Bounce" });
  await publish(v.ada, slug, { "index.html": "1" });
  await v.enter(`projects/${slug}`);
  await v.choose("Take offline");
  await v.page.getByRole("dialog").getByRole("button", { name: "Take offline" }).click();
  await isFocused("h1", "Bounce");
});

test("a dialog that is cancelled gives the focus back to its button", async () => {
  const slug = await newProject(v.ada);
  await v.enter(`projects/${slug}/settings`);
  await v.button("Delete project").click();
  await v.button("Cancel").click();
  await isFocused("button", "Delete project");
});

test("if a machine's code is asked for, the focus is in the field", async () => {
  await v.enter("device");
  await v.page.getByLabel("Code").waitFor();
  await until(v.page, "document.activeElement === document.querySelector('input')");
});

test("a tab that is pressed while the project is loading is opened, and keeps the focus", async () => {
  const slug = await newProject(v.ada);
  const loaded = Promise.withResolvers<void>();
  await v.page.route(/\/projects\?/, async (route) => {
    await loaded.promise;
    await route.continue();
  });
  await v.enter(`projects/${slug}`);
  const tab = v.page.getByRole("link", { name: "Releases", exact: true });
  await tab.hover();
  await v.page.mouse.down();
  loaded.resolve();
  await v.page.getByRole("region", { name: "Publish" }).waitFor();
  await v.page.mouse.up();
  await v.page.getByText("Nothing published yet.").waitFor();
  await isFocused("a", "Releases");
});
