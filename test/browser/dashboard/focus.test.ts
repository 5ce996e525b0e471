import { expect, test } from "@jest/globals";
import { newProject, newSlug, publish } from "../../support/service/steps.ts";
import { visitor } from "./visitor.ts";

/*
 * Where the keyboard's focus is. On the body, a screen reader begins again from the top.
 */

const v = visitor();

/** The element with the focus, by its role or kind and its text. */
async function focused(): Promise<unknown> {
  return await v.page.evaluate("[document.activeElement.localName, document.activeElement.innerText]");
}

/** Waits until something but the body has the focus and no dialog is open. */
async function focusedAtLast(): Promise<unknown> {
  await v.page.getByRole("dialog").waitFor({ state: "detached" });
  for (let attempt = 0; attempt < 40 && (await isLost()); attempt += 1) await v.page.waitForTimeout(50);
  return await focused();
}

async function isLost(): Promise<unknown> {
  return await v.page.evaluate("document.activeElement === document.body");
}

test("the skip link moves the focus to the content", async () => {
  await v.enter("tokens");
  await v.page.getByRole("heading", { name: "Tokens", level: 1 }).waitFor();
  await v.page.evaluate("document.activeElement.blur(); getSelection().removeAllRanges()");
  await v.page.getByRole("link", { name: "Skip to the content" }).focus();
  await v.page.keyboard.press("Enter");
  expect(await v.page.evaluate("document.activeElement.id")).toBe("main");
  expect(v.page.url()).toBe(`${v.service.dashboard}tokens#main`);
  await v.page.keyboard.press("Tab");
  expect(await focused()).toEqual(["button", "New token"]);
});

test("after a token is revoked the focus stays in the content", async () => {
  const { id } = await v.ada.token({ name: "to revoke" });
  await v.enter("tokens");
  await v.button("Revoke to revoke").click();
  await v.button("Revoke").click();
  expect(await focusedAtLast()).not.toEqual(["body", expect.anything()]);
  await v.button("Revoke to revoke").waitFor({ state: "detached" });
  expect(await v.page.evaluate("document.activeElement.closest('main') !== null")).toBe(true);
  expect((await v.ada.get(`/tokens/${id}`)).body.status).toBe("revoked");
});

test("after a project is taken offline the focus is on its title", async () => {
  const slug = newSlug();
  await v.ada.post("/projects", { slug, name: "Bounce" });
  await publish(v.ada, slug, { "index.html": "1" });
  await v.enter(`projects/${slug}`);
  await v.button("Take offline").click();
  await v.page.getByRole("dialog").getByRole("button", { name: "Take offline" }).click();
  expect(await focusedAtLast()).toEqual(["h1", "Bounce"]);
});

test("a dialog that is cancelled gives the focus back to its button", async () => {
  const slug = await newProject(v.ada);
  await v.enter(`projects/${slug}`);
  await v.button("Delete project").click();
  await v.button("Cancel").click();
  expect(await focusedAtLast()).toEqual(["button", "Delete project"]);
});

test("if a machine's code is asked for, the focus is in the field", async () => {
  await v.enter("device");
  await v.page.getByLabel("Code").waitFor();
  expect(await v.page.evaluate("document.activeElement === document.querySelector('input')")).toBe(true);
});
