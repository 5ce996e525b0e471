import { expect, test } from "@jest/globals";
import { compare } from "./comparison.ts";
import { pageOf, partsOf } from "./results.ts";
import { atMost, targetList } from "./targets.ts";

const ones = new Array<number>(15).fill(1);

test("what is at most the limit is held, and what is over it says by how much", () => {
  expect(atMost("x", 60, 60, " µs")).toMatchObject({ measured: "60 µs", promised: "at most 60 µs", verdict: "held" });
  expect(atMost("x", 75, 60, " µs").verdict).toBe("missed by 25 %");
  expect(atMost("x", 1, 0, "").verdict).toBe("missed");
});

test("a ratio whose interval holds the limit could come out on the other side", () => {
  const ratios = ones.map((_, index) => (index + 1) / 10);
  expect(atMost("x", compare(ratios, ones), 0.8, " ×").verdict).toBe("held, within the noise");
  expect(atMost("x", compare(ratios, ones), 2, " ×")).toMatchObject({
    measured: "0.80 (0.40–1.20) ×",
    verdict: "held",
  });
});

test("the page begins with the targets of all its sections, those that were not measured again too", () => {
  const section = (area: string, heading: string, limit: number) => {
    const targets = [atMost(area, 1, limit, " s")];
    return `<!-- targets: ${JSON.stringify(targets)} -->\n## ${heading}\n\n${targetList(targets)}\n`;
  };
  const order = ["cold", "cli"];
  const first = pageOf(order, new Map([["cli", section("cli", "The command line: all of it", 0.5)]]));
  const page = pageOf(order, partsOf(first).set("cold", section("cold", "Cold", 2)));
  expect(page.slice(page.indexOf("## Targets"), page.indexOf("<!-- area"))).toBe(`## Targets

| target | measured | promised | verdict |
| --- | ---: | ---: | ---: |
| [cold](#cold) | 1 s | at most 2 s | held |
| [cli](#the-command-line-all-of-it) | 1 s | at most 0.5 s | **missed by 100 %** |

`);
  expect([...partsOf(page).keys()]).toEqual(order);
  expect(pageOf(order, partsOf(page))).toBe(page);
});
