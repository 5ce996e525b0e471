import axe from "axe-core";
import type { Locator, Page } from "playwright-core";
import { keepScreenshot } from "../chromium.ts";

const wide = { width: 1_280, height: 800 };
const narrow = { width: 320, height: 640 };

interface AxeResult {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
}

/**
 * Keeps a view as four pictures, wide and 320 px, light and dark, and looks at each for what WCAG 2.2 AA forbids and for
 * content that would have to be scrolled sideways. The README's picture, docs/images/dashboard-project.png, is a copy of
 * `dashboard-project-wide-light.png`, which way.test.ts makes.
 *
 * @param at what the picture must show, if that is below the page's beginning
 * @returns what is wrong, nothing if all is well
 */
export async function lookAt(page: Page, name: string, at?: Locator): Promise<string[]> {
  const complaints: string[] = [];
  for (const [size, viewport] of [["wide", wide] as const, ["narrow", narrow] as const])
    for (const colorScheme of ["light", "dark"] as const) {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await at?.scrollIntoViewIfNeeded();
      const look = `${name}-${size}-${colorScheme}`;
      await keepScreenshot(page, `dashboard-${look}`);
      complaints.push(...(await accessibilityOf(page)).map((complaint) => `${look}: ${complaint}`));
      const overflow = await page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth",
      );
      if (Number(overflow) > 0) complaints.push(`${look}: scrolls sideways by ${overflow} px`);
    }
  await page.setViewportSize(wide);
  return complaints;
}

async function accessibilityOf(page: Page): Promise<string[]> {
  // Evaluated, not added as a script element, which the page's policy refuses.
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate(
    'axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"], rules: { "label-content-name-mismatch": { enabled: true } } })',
  )) as AxeResult;
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}
