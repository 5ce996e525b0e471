import type { Page } from "playwright-core";

/** Drops files or folders of this machine onto the place of a project's page, as the system's file manager does. */
export async function drop(page: Page, ...paths: readonly string[]): Promise<void> {
  const box = await page.getByRole("region", { name: "Publish" }).boundingBox();
  if (box === null) throw new Error("There is nowhere to drop");
  await dropAt(page, { x: box.x + box.width / 2, y: box.y + box.height / 2 }, paths);
}

/** Drops them in the middle of a page that has no place for it. */
export async function dropAnywhere(page: Page, ...paths: readonly string[]): Promise<void> {
  await dropAt(page, { x: 640, y: 400 }, paths);
}

async function dropAt(page: Page, at: { x: number; y: number }, paths: readonly string[]): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files: [...paths], dragOperationsMask: 1 };
  // A hand goes on telling where it is. One dragOver alone is lost if the page moves below it, and with it the drop.
  for (const type of ["dragEnter", "dragOver", "dragOver", "dragOver", "drop"] as const)
    await session.send("Input.dispatchDragEvent", { type, ...at, data });
  await session.detach();
}
