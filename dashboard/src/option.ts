import type { FunctionComponent } from "preact";
import type { Client } from "../../contract/client.ts";
import type { Project } from "./resources.ts";
import type { SettingsSection } from "./views/projects/settings-sections.tsx";

/** Parts of an option that the page loads at once. Its folder in options/ is the name of its document in docs/. */
export interface DashboardOption {
  readonly name: string;
  /** Its tabs in a project, by the last part of their URLs. */
  readonly tabs?: Readonly<Record<string, string>>;
  /** Set: a URL may name something in its tabs by its id. */
  readonly hasInside?: true;
}

/** Views of an option, which are loaded when they are first shown. */
export interface OptionViews {
  readonly name: string;
  /** Its tab in a project. */
  readonly Tab?: FunctionComponent<{ project: Project }>;
  /** A view of one thing in the tab, and of another one beside it. */
  readonly Inside?: FunctionComponent<{ project: Project; id: string; other: string | undefined }>;
  /** Its section of a project's settings. */
  readonly Settings?: {
    readonly section: SettingsSection;
    isShown(project: Project): boolean;
    readonly View: FunctionComponent<{ project: Project }>;
  };
  /** How the checkbox says it with which a project does without it; left out: no project can. */
  readonly Switch?: {
    readonly name: Project["switched_off"][number];
    readonly label: string;
    readonly hint: string;
  };
  /** Its part of the dialog by which a live game is shared. */
  readonly Share?: FunctionComponent<{ url: string }>;
  /** Numbers on the overview of a project that was live. */
  readonly Numbers?: FunctionComponent<{ slug: string }>;
  /** What its part of a tab, or of the page of a release (`release`), begins with, read before the tab is there. */
  readonly readEarly?: (client: Client, slug: string, tab: string) => Promise<unknown> | undefined;
  /** Its parts at the end of tabs of other options, by the tabs' names in URLs: about so many days, which the person has chosen for the tab. */
  readonly InTab?: Readonly<Record<string, FunctionComponent<{ slug: string; days: number }>>>;
  /** Reads the figures of releases. What it returns sets two of them beside each other; undefined: there is nothing to compare. */
  readonly comparisons?: (client: Client, slug: string) => Promise<(ids: ComparedReleases) => Comparison | undefined>;
}

const options: DashboardOption[] = [];
const optionViews: OptionViews[] = [];

/** Adds options to the dashboard, once, before it is drawn. */
export function addOptions(added: readonly DashboardOption[]): void {
  options.push(...added);
}

/** Adds the views of options, once, when they are loaded. */
export function addOptionViews(added: readonly OptionViews[]): void {
  optionViews.push(...added);
}

/** The views of the options of a stage that leaves some out, once they are loaded. */
export function viewsWithout(leftOut: readonly string[]): OptionViews[] {
  return optionViews.filter(({ name }) => !leftOut.includes(name));
}

/** The tabs of all options in a project, by the last part of their URLs. */
export function optionTabs(): Record<string, string> {
  return Object.assign({}, ...options.map(({ tabs }) => tabs));
}

/** The option that has this tab in a project. */
export function optionOfTab(tab: string): DashboardOption | undefined {
  return options.find(({ tabs = {} }) => Object.hasOwn(tabs, tab));
}

/** The tab that a URL names: by itself, or by its option, as the command line and older links do. */
export function tabNamed(name: string): string {
  const [tab = name] = Object.keys(options.find((option) => option.name === name)?.tabs ?? {});
  return tab;
}

/** The ids of two releases. */
export interface ComparedReleases {
  readonly of: string;
  readonly before: string;
}

/** Rows of a table, the figures of the release before the other one's, and what to know of them. */
export interface Comparison {
  readonly rows: readonly (readonly [title: string, before: string, of: string])[];
  readonly hint: string;
}
