import { setTimeout as delay } from "node:timers/promises";

/** A page of a browser that Playwright does not drive. */
interface EvaluatedPage {
  evaluate(expression: string): Promise<unknown>;
}

/** Waits until an expression is true; while the page changes there is nothing to ask. */
export async function until(page: EvaluatedPage, expression: string): Promise<void> {
  for (const end = Date.now() + 20_000; Date.now() < end; await delay(100))
    if (await page.evaluate(expression).catch(() => false)) return;
  throw new Error(`Not so in time: ${expression}; the page says: ${await page.evaluate("document.body.innerText")}`);
}

/** Clicks the first button or link that is shown with this text, when there is one. */
export async function click(page: EvaluatedPage, text: string): Promise<void> {
  await until(
    page,
    `(() => {
    const all = [...document.querySelectorAll("button, a")];
    const found = all.find((one) => one.innerText.includes(${JSON.stringify(text)}) && one.getClientRects().length > 0);
    found?.click();
    return found !== undefined;
  })()`,
  );
}
