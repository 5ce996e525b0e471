import { expect, test } from "@jest/globals";
import type { Locator } from "playwright-core";
import { eventually } from "../../support/eventually.ts";
import { publish } from "../../support/service/steps.ts";
import { keepScreenshot } from "../chromium.ts";
import { visitor } from "./visitor.ts";

/*
 * Colours that a person has chosen for all pages, such as a contrast theme of Windows: what is current is seen without ours.
 */

const v = visitor();

const look = ["borderBottomColor", "backgroundColor", "textDecorationLine", "outlineStyle"];

/** How elements look that stand side by side, of which one is current. */
const looksOf = async (elements: Locator) =>
  (await elements.evaluateAll(
    (all, names) =>
      all.map((element) => {
        const { defaultView } = element.ownerDocument as unknown as {
          defaultView: { getComputedStyle(of: unknown): Record<string, string> };
        };
        const style = defaultView.getComputedStyle(element);
        return names.map((name) => style[name]).join(" ");
      }),
    look,
  )) as string[];

/** That this one alone looks as no other of them does, once the pointer has left what it was on. */
async function expectMarked(elements: Locator, expected: string): Promise<void> {
  await eventually(async () => {
    const [texts, looks] = [await elements.allInnerTexts(), await looksOf(elements)];
    const marked = texts.filter((_, index) => looks.filter((other) => other === looks[index]).length === 1);
    expect(marked).toEqual([expected]);
  });
}

test("the current tab, entry and range are marked, and in a dialog the way on", async () => {
  await v.ada.post("/projects", { slug: "contrast", name: "Contrast" });
  await publish(v.ada, "contrast", { "index.html": "1" });
  await v.page.emulateMedia({ forcedColors: "active" });
  await v.enter("projects/contrast/statistics");
  await v.page.locator(".segments label").first().waitFor();
  const links = (name: string) => v.page.getByRole("navigation", { name }).getByRole("link");
  await v.page.mouse.move(0, 0);
  await expectMarked(links("Project"), "Statistics");
  await expectMarked(links("Main"), "Projects");
  await expectMarked(v.page.locator(".segments label"), "30 days");
  await keepScreenshot(v.page, "forced-colors-statistics");
  await v.page.goto(`${v.service.dashboard}projects/contrast`);
  await v.page.getByRole("heading", { name: "Contrast", level: 1 }).waitFor();
  await keepScreenshot(v.page, "forced-colors-project");
  await v.page.goto(`${v.service.dashboard}?new`);
  const ways = v.page.getByRole("dialog").locator(".actions .button");
  await ways.nth(1).waitFor();
  expect(new Set(await looksOf(ways)).size).toBe(2);
  await keepScreenshot(v.page, "forced-colors-dialog");
  await v.page.goto(`${v.service.dashboard}help/cli.html`);
  await expectMarked(links("Help"), "The command line");
  await keepScreenshot(v.page, "forced-colors-help");
});
