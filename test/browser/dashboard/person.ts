import type { Page } from "playwright-core";

/** Chooses who to be on the local provider's page. */
export async function chooseOnProvider(page: Page, name: string): Promise<void> {
  await page.getByText("Somebody else").click();
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByRole("button", { name: "Continue" }).click();
}
