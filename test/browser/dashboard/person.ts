import type { Page } from "playwright-core";

/** Chooses who to be on the local provider's page. */
export async function chooseOnProvider(page: Page, name: string): Promise<void> {
  await page.getByText("Somebody else").click();
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByRole("button", { name: "Continue" }).click();
}

export async function becomeDeveloper(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Yes, become a developer" }).click();
  await page.getByRole("heading", { name: "Projects", level: 1 }).waitFor();
}
