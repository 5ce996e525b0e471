import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { fileURLToPath } from "node:url";
import { expect } from "@jest/globals";
import type { Locator, Page } from "playwright-core";
import { eventually } from "../../support/eventually.ts";
import { keepScreenshot } from "../chromium.ts";
import { evaluateLarge, overflowInFamilies, overflowOf, setFamily } from "../fonts.ts";

const wide = { width: 1_280, height: 800 };
const sizes = {
  ...{ wide, narrow: { width: 320, height: 640 } },
  ...{ phone: { width: 390, height: 844 }, tablet: { width: 768, height: 1_024 } },
};
/** Widths at which every view is kept as a picture; at the others only the largest views are. */
const kept = ["wide", "narrow"];
/** A scroll bar of Windows that takes its room beside the page. */
const scrollbarWidth = 15;

const everyRule = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const contrast = { type: "rule", values: ["color-contrast"] };
/** What axe examines, of which colours can break contrast alone. It takes most of a test's time. */
const examined = [
  { size: "wide", colorScheme: "light", rules: everyRule },
  { size: "wide", colorScheme: "dark", rules: contrast },
  { size: "narrow", colorScheme: "light", rules: everyRule },
] as const;

/**
 * Looks at a view for what WCAG 2.2 AA forbids, wide and 320 px, light and dark, and at four widths for content that would have to be scrolled
 * sideways, in a wide font, beside a scroll bar. Outside of CI it is kept as four pictures, one of the largest views at all widths, also 390 and
 * 768 px. Then compares what it says with `shown/NAME.yml`, if that is there.
 *
 * @param at what the picture must show, if that is below the page's beginning
 * @returns what is wrong, nothing if all is well
 */
export async function lookAt(page: Page, name: string, at?: Locator): Promise<string[]> {
  const complaints: string[] = [];
  const isLargest = existsSync(shownFile(name));
  await setFamily(page, "narrow");
  for (const [size, viewport] of Object.entries(sizes))
    for (const colorScheme of ["light", "dark"] as const) {
      const rules = examined.find((look) => look.size === size && look.colorScheme === colorScheme)?.rules;
      const isKept = !("CI" in process.env) && (isLargest || kept.includes(size));
      if (!(rules || isKept)) continue;
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await at?.scrollIntoViewIfNeeded();
      await keepScreenshot(page, `dashboard-${name}-${size}-${colorScheme}`);
      const found = rules ? await accessibilityOf(page, rules) : [];
      complaints.push(...found.map((complaint) => `${name}-${size}-${colorScheme}: ${complaint}`));
    }
  complaints.push(...(await lookWide(page, name, isLargest)));
  await page.setViewportSize(wide);
  await compareTree(page, name);
  return complaints;
}

/** Looks in the same way at a page that is the service's own at another host. @returns what is wrong in each look */
export async function lookAtOwnPage(page: Page, name: string, { height = wide.height } = {}): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const { size, colorScheme, rules } of examined) {
    await page.setViewportSize({ width: sizes[size].width, height });
    await page.emulateMedia({ colorScheme });
    const overflow = Math.max(...Object.values(await overflowInFamilies(page)));
    const findings = [...(await accessibilityOf(page, rules)), ...(overflow > 0 ? [{ overflow }] : [])];
    found.push(...findings.map((finding) => ({ size, colorScheme, finding })));
  }
  await keepLooks(page, name);
  return found;
}

const schemes = {
  light: { colorScheme: "light", forcedColors: "none" },
  dark: { colorScheme: "dark", forcedColors: "none" },
  forced: { colorScheme: "light", forcedColors: "active" },
} as const;

/**
 * Keeps the whole of a view as `build/screenshots/NAME-WIDTH-SCHEME.png` at five widths, light, dark and in colours that a person has
 * forced on all pages, for somebody to look at. CI keeps none, and examines what `lookAt` examines.
 */
export async function keepLooks(page: Page, name: string): Promise<void> {
  if ("CI" in process.env) return;
  const before = page.viewportSize() ?? wide;
  for (const [scheme, media] of Object.entries(schemes)) {
    await page.emulateMedia({ reducedMotion: "reduce", ...media });
    for (const { width, height } of [...Object.values(sizes), { width: 1_920, height: 1_080 }]) {
      await page.setViewportSize({ width, height });
      await keepScreenshot({ screenshot: () => page.screenshot({ fullPage: true }) }, `${name}-${width}-${scheme}`);
    }
  }
  await page.emulateMedia({ colorScheme: "light", forcedColors: "none" });
  await page.setViewportSize(before);
}

async function lookWide(page: Page, name: string, isLargest: boolean): Promise<string[]> {
  const complaints: string[] = [];
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  await setFamily(page, "wide");
  for (const [size, { width, height }] of Object.entries(sizes)) {
    const look = `${name}-${size}-wide-font`;
    await page.setViewportSize({ width: width - scrollbarWidth, height });
    if (isLargest && size === "narrow") await keepScreenshot(page, `dashboard-${look}`);
    const overflow = await overflowOf(page);
    if (overflow > 0) complaints.push(`${look}: scrolls sideways by ${overflow} px`);
  }
  await setFamily(page, "narrow");
  return complaints;
}

const shownFile = (name: string) => fileURLToPath(new URL(`shown/${name}.yml`, import.meta.url));

/**
 * Compares what one of the largest views says to assistive technology, in order: names, roles, states, texts, URLs of links. What
 * it should say is `shown/NAME.yml`. After a change that is meant, empty that file and run the test, which writes it anew, and read what
 * changed. A view shows what its own test has made, since a retry has a service of its own. What the other views say, tests name.
 */
async function compareTree(page: Page, name: string): Promise<void> {
  const file = shownFile(name);
  if (!existsSync(file)) return;
  const expected = readFileSync(file, "utf8");
  if (expected === "" && !("CI" in process.env)) writeFileSync(file, await treeOf(page));
  else await eventually(async () => expect(await treeOf(page)).toBe(expected));
}

/** Texts that differ from run to run, with the words for them; the frame of every view and the rest of a long list are left out. */
const changing: readonly [RegExp, string][] = [
  [/^- link "Skip.*?(?=^- main)/ms, ""],
  // The message about what others changed meanwhile, if there is one.
  [/(?<=\n)- status(?::\n(?: .*\n)+|\n)$/, ""],
  [/(?<=^(?:[^\n]*\n){150}).+/s, "…\n"],
  [/^(.{200}).+/gm, "$1…"],
  [/\bgame-[0-9a-f-]{18}\b/g, "SLUG"],
  [/\b(localhost|127\.0\.0\.1):\d+/g, "$1:PORT"],
  [/--[0-9a-f]{20}\b/g, "--PREVIEW"],
  [/\b(pat|tgr)_[\w.…-]+/g, "$1_SECRET"],
  [/\b0[0-9A-Za-z]{21}(#[\w-]+)?/g, "ID"],
  [/\b0[0-9A-Za-z]{8}…/g, "ID…"],
  [/\b[A-Z]{4}-[A-Z]{4}\b/g, "CODE"],
  [/\b[A-Z][a-z]{2} \d{1,2}, \d{4}, \d{1,2}:\d{2} [AP]M/g, "TIME"],
  [/\b(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{1,2}\b/g, "DAY"],
  [/(?<=Plays by hour, by its beginning\. )[^"\n]+(?=\.)/g, "HOURS"],
  // Events of one moment are in any order.
  [/(?<=list "Events":\n).*/s, "    - …\n"],
  [
    new RegExp(`(?<=^ *- (?:definition: |paragraph: svc login on ))${hostname().replaceAll(".", "\\.")}\\b`, "gm"),
    "MACHINE",
  ],
  [/(?<![\d.])\d+ ms/g, "MS"],
  [/stores \d+ B/g, "stores SIZE"],
  [/-[0-9a-f]{6}\b/g, "-SUFFIX"],
  [/\b\d{12,}\b/g, "NUMBER"],
  [/just now|\d+ minutes? ago/g, "AGO"],
  [/for (less than a minute|\d+ minutes?)/g, "for TIME"],
];

interface Field {
  readonly labels: ArrayLike<{ readonly textContent: string }>;
  getAttribute(name: string): string | null;
}

/** The values of text fields, which the tree does not have. It runs in the page. */
function attributesOf(fields: readonly Field[]): string[] {
  const names = ["required", "maxlength", "inputmode", "autocomplete", "spellcheck", "autocapitalize", "dir"];
  return fields.map((field) => {
    const attributes = names.map((name) => [name, field.getAttribute(name)]).filter(([, value]) => value !== null);
    return `# ${field.labels[0]?.textContent}: ${attributes.map((attribute) => attribute.join("=")).join(" ")}`;
  });
}

async function treeOf(page: Page): Promise<string> {
  const open = page.locator("dialog[open]");
  const view = (await open.count()) > 0 ? open.last() : page.locator("body");
  const fields = await view.locator("input:not([type]), textarea").evaluateAll(attributesOf);
  const tree = [...fields, await view.ariaSnapshot()].join("\n");
  return changing.reduce((text, [what, name]) => text.replace(what, name), `${tree}\n`);
}

/** Smaller by half than what the module gives as its source, and loaded by no test file. */
const axe = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");

/** Findings of axe in a page. Asked for every element that passes too, it takes ten times as long. */
export async function accessibilityOf(
  page: Page,
  rules: typeof everyRule | typeof contrast = everyRule,
): Promise<string[]> {
  // Evaluated, not added as a script element, which the page's policy refuses.
  if ((await page.evaluate("typeof axe")) === "undefined") await evaluateLarge(page, axe);
  // A header that stays in sight may cover the rest: that is no fault.
  await page.evaluate("scrollTo(0, 0)");
  const violations = (await page.evaluate(`axe.run(document, {
    resultTypes: ["violations"],
    runOnly: ${JSON.stringify(rules)},
    ...${JSON.stringify(rules === everyRule && { rules: { "label-content-name-mismatch": { enabled: true } } })},
  }).then(({ violations }) => violations)`)) as readonly AxeViolation[];
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}

interface AxeViolation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}
