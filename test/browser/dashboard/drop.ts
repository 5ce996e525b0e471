import type { Page } from "playwright-core";

/** Drops files or folders of this machine onto the place of a project's page, as the system's file manager does. */
export async function drop(page: Page, ...paths: readonly string[]): Promise<void> {
  const box = await page.getByRole("region", { name: "Publish" }).boundingBox();
  if (box === null) throw new Error("There is nowhere to drop");
  const at = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files: [...paths], dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"] as const)
    await session.send("Input.dispatchDragEvent", { type, ...at, data });
  await session.detach();
}
