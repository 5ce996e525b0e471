import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";

/** Two families that pages are looked at in, whatever fonts the machine has: `narrow` as Arial, `wide` as Verdana. */
export type Family = "narrow" | "wide";

const file = (url: string) => readFileSync(fileURLToPath(url), "base64");

/** Family, weight and file of each face. */
const faces = [
  ["narrow", "400", file(import.meta.resolve("@fontsource/arimo/files/arimo-latin-400-normal.woff2"))],
  ["narrow", "700", file(import.meta.resolve("@fontsource/arimo/files/arimo-latin-700-normal.woff2"))],
  ["wide", "400", file(import.meta.resolve("@fontsource/dejavu-sans/files/dejavu-sans-latin-400-normal.woff2"))],
  ["wide", "700", file(import.meta.resolve("@fontsource/dejavu-sans/files/dejavu-sans-latin-700-normal.woff2"))],
  ["fixed", "400", file(import.meta.resolve("@fontsource/dejavu-mono/files/dejavu-mono-latin-400-normal.woff2"))],
];

/**
 * Sets all text of a page in one of the two families, and code in a third. A policy of the page's forbids neither bytes as fonts nor a
 * style sheet that is made by a script of the browser's driver.
 */
export async function setFamily(page: Page, family: Family): Promise<void> {
  const current = await page.evaluate("window.lookFamily");
  if (current === family) return;
  if (current === undefined)
    await evaluateLarge(
      page,
      `(async () => {
      const loading = ${JSON.stringify(faces)}.map(([family, weight, text]) =>
        new FontFace(family, Uint8Array.fromBase64(text), { weight }).load());
      for (const face of await Promise.all(loading)) document.fonts.add(face);
      window.lookSheet = new CSSStyleSheet();
      document.adoptedStyleSheets.push(lookSheet);
    })()`,
    );
  await page.evaluate(`window.lookFamily = "${family}", lookSheet.replaceSync(
    "* { font-family: ${family} !important } :is(code, pre, kbd), :is(code, pre, kbd) * { font-family: fixed !important }",
  )`);
}

/**
 * Evaluates a script of some hundred kilobytes in a page of Chromium: page.evaluate takes twice as long, since it sends it as an argument of
 * another script.
 */
export async function evaluateLarge(page: Page, expression: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const { exceptionDetails } = await session.send("Runtime.evaluate", { expression, awaitPromise: true });
  await session.detach();
  if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
}

/** By how many pixels a page, or a dialog in it, would have to be scrolled sideways. */
export async function overflowOf(page: Page): Promise<number> {
  const excess = "({ scrollWidth, clientWidth }) => scrollWidth - clientWidth";
  return Number(
    await page.evaluate(
      `Math.max(...[document.documentElement, ...document.querySelectorAll("dialog[open], dialog[open] > *")].map(${excess}))`,
    ),
  );
}

/** The overflow in each family; the page is left in the narrow one. */
export async function overflowInFamilies(page: Page): Promise<Record<Family, number>> {
  await setFamily(page, "wide");
  const wide = await overflowOf(page);
  await setFamily(page, "narrow");
  return { wide, narrow: await overflowOf(page) };
}
