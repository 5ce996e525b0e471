import type { Page } from "playwright-core";

/** Chooses who to be on the local provider's page. */
export async function chooseOnProvider(page: Page, name: string): Promise<void> {
  await page.getByText("Somebody else").click();
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByRole("button", { name: "Continue" }).click();
}

/** @param view the title of the page that is there then */
export async function becomeDeveloper(page: Page, view = "Projects"): Promise<void> {
  await page.getByRole("button", { name: "Yes, become a developer" }).click();
  await page.getByRole("heading", { name: view, level: 1 }).waitFor();
}
