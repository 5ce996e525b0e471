import { options } from "../../options/dashboard.ts";
import type { DashboardOption } from "./option.ts";

/** The option that has this tab in a project. */
export function optionOfTab(tab: string): DashboardOption | undefined {
  return options.find(({ tabs = {} }) => Object.hasOwn(tabs, tab));
}

/** The tab that a URL names: by itself, or by its option, as the command line and older links do. */
export function tabNamed(name: string): string {
  const [tab = name] = Object.keys(options.find((option) => option.name === name)?.tabs ?? {});
  return tab;
}
