import { expect, test } from "@jest/globals";
import { actorsOf } from "../../support/service/actors.ts";
import { newSlug, publish } from "../../support/service/steps.ts";
import { visitor } from "./visitor.ts";

/*
 * A page that stays open shows what others do meanwhile. That a release appears by itself is on the way of a producer.
 */

const v = visitor();

const comeBack = () => v.page.evaluate("dispatchEvent(new Event('focus'))");
const toast = () => v.page.locator(".toast");

test("a page that stays open shows what a colleague changes, says who did what, and asks for nothing while hidden", async () => {
  const slug = newSlug();
  await v.ada.post("/projects", { slug, name: "Two Hands" });
  const grace = await actorsOf(v.service).developer({ sub: "grace", name: "Grace Hopper" });
  const invitation = await v.ada.post(`/projects/${slug}/invitations`, { role: "admin", to: grace.uid });
  await grace.post(`/projects/${slug}/invitations/${invitation.body.id}/acceptance`);
  await publish(v.ada, slug, { "index.html": "one" });
  await v.enter(`projects/${slug}`);
  await v.page.getByRole("region", { name: "Live release" }).getByText("Release #1").waitFor();
  const asked: string[] = [];
  v.page.on("request", (request) => request.url().endsWith("limit=1") && asked.push(request.url()));

  // The settings too, which nobody has edited here.
  await v.tab("Settings");
  await v.button("Invite").waitFor();
  await grace.patch(`/projects/${slug}`, { name: "Four Hands" });
  await grace.post(`/projects/${slug}/invitations`, { role: "publisher" });
  await comeBack();
  await v.page.getByRole("heading", { name: /Four Hands/ }).waitFor();
  await v.page.getByRole("list", { name: "Members" }).getByText("invited by Grace Hopper as publisher").waitFor();
  // How many, depends on how long ago the page was opened: what happened in the five seconds before counts too.
  await toast()
    .getByRole("link", { name: /^\d more$/ })
    .waitFor();
  await v.button("Close the message").click();

  // What the person has done in this page, or in another window, is no news.
  await v.ada.patch(`/projects/${slug}`, { name: "Six Hands" });
  await comeBack();
  await v.page.getByRole("heading", { name: /Six Hands/ }).waitFor();
  expect(await toast().count()).toBe(0);

  // What somebody decides about does not change under them, and a hidden page asks nothing.
  const asks = async () => {
    asked.length = 0;
    await comeBack();
    await new Promise((resolve) => setTimeout(resolve, 300));
    return asked.length > 0;
  };
  expect(await asks()).toBe(true);
  await v.button("Invite").click();
  await v.page.getByRole("dialog").waitFor();
  expect(await asks()).toBe(false);
  await v.button("Cancel").click();
  await v.page.evaluate("Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true })");
  expect(await asks()).toBe(false);
  await v.page.evaluate("delete document.visibilityState");

  // A project that is gone says so.
  expect((await v.ada.delete(`/projects/${slug}`)).status).toBe(200);
  await comeBack();
  await v.page.getByText("You have deleted this project.").waitFor();
}, 240_000);
