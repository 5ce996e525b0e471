import { expect, test } from "@jest/globals";
import { overflowInFamilies } from "../fonts.ts";
import { accessibilityOf } from "./screens.ts";
import { visitor } from "./visitor.ts";

const v = visitor();

test("no page of help has a finding, or goes beyond the side", async () => {
  await v.page.goto(`${v.service.dashboard}help/publish-your-game.html`);
  const links = v.page.getByRole("navigation", { name: "Help" }).getByRole("link");
  const urls = await links.evaluateAll((all) => all.map((link) => (link as unknown as { href: string }).href));
  expect(urls.length).toBeGreaterThan(5);
  const findings: Record<string, unknown> = {};
  for (const url of urls) {
    await v.page.goto(url);
    await v.page.setViewportSize({ width: 1_280, height: 800 });
    const complaints = await accessibilityOf(v.page);
    await v.page.setViewportSize({ width: 305, height: 640 });
    const narrow = await accessibilityOf(v.page);
    const { wide } = await overflowInFamilies(v.page);
    if (complaints.length + narrow.length + wide > 0) findings[url] = { complaints, narrow, wide };
  }
  expect(findings).toEqual({});
});
