import type { ComponentChildren, FunctionComponent } from "preact";
import { lazy } from "../parts/lazy.tsx";

/** The views that few visits need. */
type Views = typeof import("./lazy-views.ts");

let load: (() => Promise<Views>) | undefined;
let views: Views | undefined;

/** Says how they are loaded: an option adds views of its own to the same file. */
export function loadViewsBy(loader: () => Promise<Views>): void {
  load = loader;
}

/** Loads them when one is first shown. @throws Error if the program has not said how */
export async function loadViews(): Promise<Views> {
  if (load === undefined) throw new Error("The program has not said how views are loaded.");
  views = await load();
  return views;
}

const code = { current: () => views, load: loadViews };

/** One of them, which is loaded with all when it is first shown. @param meanwhile is shown while they are loaded */
export function lazyView<Props extends object>(
  select: (views: Views) => FunctionComponent<Props>,
  meanwhile?: ComponentChildren,
): FunctionComponent<Props> {
  return lazy(code, select, meanwhile);
}
