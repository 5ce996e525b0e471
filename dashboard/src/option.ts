import type { FunctionComponent } from "preact";
import type { Api } from "./api.ts";
import type { Project } from "./resources.ts";

/** Parts of an option that the page loads at once. Its folder in options/ is the name of its document in docs/. */
export interface DashboardOption {
  readonly name: string;
  /** Its tabs in a project, by the last part of their URLs. */
  readonly tabs?: Readonly<Record<string, string>>;
  /** Set: a URL may name something in its tabs by its id. */
  readonly hasInside?: true;
  /** Figures of two releases beside each other, to decide which is live; undefined: none. */
  readonly compare?: (api: Api, slug: string, ids: ComparedReleases) => Promise<Comparison | undefined>;
}

/** Views of an option, which are loaded when they are first shown. */
export interface OptionViews {
  readonly name: string;
  /** Its tab in a project. */
  readonly Tab?: FunctionComponent<{ project: Project }>;
  /** A view of one thing in the tab, and of another one beside it. */
  readonly Inside?: FunctionComponent<{ slug: string; id: string; other: string | undefined }>;
  /** Numbers on the overview of a project that was live. */
  readonly Numbers?: FunctionComponent<{ slug: string }>;
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
