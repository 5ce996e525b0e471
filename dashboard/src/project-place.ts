import { optionOfTab, optionTabs, tabNamed } from "./option.ts";

/** Place in a project's URL: its tab, and a view inside of the tab. */
export interface ProjectPlace {
  readonly slug: string;
  readonly tab: string;
  /** The id of a release, or of something in an option's tab, or `history`. */
  readonly inside: string | undefined;
  /** The id of what is shown beside it. */
  readonly other: string | undefined;
}

/** The tabs of a project, by the last part of their URLs. */
export function tabs(): Record<string, string> {
  return { overview: "Overview", releases: "Releases", ...optionTabs(), settings: "Settings" };
}

export function tabUrl(slug: string, tab: string): string {
  return tab === "overview" ? `/projects/${slug}` : `/projects/${slug}/${tab}`;
}

/** The place in a project that a URL names. */
export function projectPlace(
  { pathname, searchParams }: URL,
  leftOut: readonly string[] = [],
): ProjectPlace | undefined {
  const [, slug, name, inside] = /^\/projects\/([a-z0-9-]+)(?:\/([a-z]+)(?:\/(\w+))?)?$/.exec(pathname) ?? [];
  if (slug === undefined) return undefined;
  if (name === "history") return { slug, tab: "overview", inside: name, other: undefined };
  const tab = tabNamed(name ?? "overview");
  const option = optionOfTab(tab);
  const isLeftOut = option !== undefined && leftOut.includes(option.name);
  if (!Object.hasOwn(tabs(), tab) || isLeftOut || (inside && tab !== "releases" && !option?.hasInside))
    return undefined;
  return { slug, tab, inside, other: searchParams.get("with") ?? undefined };
}
