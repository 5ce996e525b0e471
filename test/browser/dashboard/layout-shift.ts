import type { Page } from "playwright-core";

/** Notes, from before anything of the page runs, what moves: also within half a second of a click, where a browser excuses it. */
export const shiftObserver = `
  window.shift = 0;
  window.moved = [];
  new PerformanceObserver((list) => {
    for (const { value, sources } of list.getEntries()) {
      window.shift += value;
      for (const { node, previousRect: { x, y }, currentRect } of sources)
        window.moved.push([node?.outerHTML?.slice(0, 80), "from", x, y, "to", currentRect.x, currentRect.y].join(" "));
    }
  }).observe({ type: "layout-shift", buffered: true });
`;

/** The cumulative layout shift so far (https://web.dev/articles/cls), and what moved. */
export async function layoutShiftOf(page: Page): Promise<{ shift: number; moved: string[] }> {
  // The observer is told after the frame.
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))");
  return (await page.evaluate("({ shift, moved })")) as { shift: number; moved: string[] };
}
