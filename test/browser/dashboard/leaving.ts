import type { Page } from "playwright-core";

/**
 * Tries to load the page again, and stays if the browser asks.
 *
 * @returns the kinds of all questions from then on
 */
export async function stayOnReload(page: Page): Promise<readonly string[]> {
  const asked: string[] = [];
  page.on("dialog", (question) => {
    asked.push(question.type());
    void question.dismiss();
  });
  await page.evaluate("location.reload()").catch(() => undefined);
  for (let attempt = 0; asked.length === 0 && attempt < 100; attempt += 1) await page.waitForTimeout(50);
  return asked;
}
