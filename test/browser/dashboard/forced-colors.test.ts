import { expect, test } from "@jest/globals";
import type { Locator } from "playwright-core";
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

/** Which of them alone looks as no other does. */
async function marked(elements: Locator): Promise<string[]> {
  const [texts, looks] = [await elements.allInnerTexts(), await looksOf(elements)];
  return texts.filter((_, index) => looks.filter((other) => other === looks[index]).length === 1);
}

test("the current tab, entry and range are marked", async () => {
  await v.ada.post("/projects", { slug: "contrast", name: "Contrast" });
  await publish(v.ada, "contrast", { "index.html": "1" });
  await v.page.emulateMedia({ forcedColors: "active" });
  await v.enter("projects/contrast/statistics");
  await v.page.locator(".segments label").first().waitFor();
  const links = (name: string) => v.page.getByRole("navigation", { name }).getByRole("link");
  await v.page.mouse.move(0, 0);
  expect(await marked(links("Project"))).toEqual(["Statistics"]);
  expect(await marked(links("Main"))).toEqual(["Projects"]);
  expect(await marked(v.page.locator(".segments label"))).toEqual(["30 days"]);
  await keepScreenshot(v.page, "forced-colors-statistics");
  await v.page.goto(`${v.service.dashboard}projects/contrast`);
  await v.page.getByRole("heading", { name: "Contrast" }).waitFor();
  await keepScreenshot(v.page, "forced-colors-project");
  await v.page.goto(`${v.service.dashboard}help/cli.html`);
  expect(await marked(links("Help"))).toEqual(["The command line"]);
  await keepScreenshot(v.page, "forced-colors-help");
});
