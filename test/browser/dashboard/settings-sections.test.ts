import { expect, test } from "@jest/globals";
import { actorsOf } from "../../support/service/actors.ts";
import { addMember } from "../../support/service/operations.ts";
import { newProject, publish } from "../../support/service/steps.ts";
import { until } from "../until.ts";
import { visitor } from "./visitor.ts";

const v = visitor();

const links = () => v.page.getByRole("navigation", { name: "Sections" }).getByRole("link");
const headings = () => v.page.getByRole("main").getByRole("heading", { level: 2 });

test("the settings begin with a link to each section that the person sees, and the keyboard gets there", async () => {
  const { page } = v;
  const slug = await newProject(v.ada);
  await publish(v.ada, slug, { "index.html": "1" });
  const grace = await actorsOf(v.service).developer({ sub: "grace", name: "Grace Hopper" });
  await addMember(v.ada, slug, grace, "viewer");
  await v.enter(`projects/${slug}/settings`);
  await page.getByRole("heading", { name: "Hand over or delete" }).waitFor();
  const titles = await links().allInnerTexts();
  expect(titles).toEqual([
    ...["General", "Pictures", "Address", "Game", "Embedding", "Members", "CI jobs that may publish"],
    ...["Tokens that can act on it", "Webhooks", "Hand over or delete"],
  ]);
  expect(await headings().allInnerTexts()).toEqual(titles);
  await links().first().focus();
  for (const title of titles) {
    await page.keyboard.press("Enter");
    await until(page, "document.activeElement.innerText", title);
    const box = await headings().filter({ hasText: title }).boundingBox();
    // Below what stays in sight of the project's header.
    expect(box?.y).toBeGreaterThan(100);
    await links().filter({ hasText: title }).focus();
    await page.keyboard.press("Tab");
  }
  const other = await v.browser.newContext();
  try {
    const theirs = await other.newPage();
    await v.enter(`projects/${slug}/settings`, { name: "Grace Hopper", page: theirs });
    await theirs.getByRole("heading", { name: "Members" }).waitFor();
    const shown = theirs.getByRole("navigation", { name: "Sections" }).getByRole("link");
    expect(await shown.allInnerTexts()).toEqual(["Address", "Embedding", "Members"]);
  } finally {
    await other.close();
  }
});
