import { expect } from "@jest/globals";
import type { Page } from "playwright-core";
import { eventually } from "../../support/eventually.ts";

/**
 * Tries to load the page again, and stays when the browser asks, as it must.
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
  await eventually(() => expect(asked).not.toEqual([]));
  return asked;
}
