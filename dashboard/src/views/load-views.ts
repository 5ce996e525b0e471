/** The views that few visits need. */
type Views = typeof import("./lazy-views.ts");

let load: (() => Promise<Views>) | undefined;

/** Says how they are loaded: an option adds views of its own to the same file. */
export function loadViewsBy(loader: () => Promise<Views>): void {
  load = loader;
}

/** Loads them when one is first shown. @throws Error if the program has not said how */
export async function loadViews(): Promise<Views> {
  if (load === undefined) throw new Error("The program has not said how views are loaded.");
  return await load();
}
