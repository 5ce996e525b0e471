import { type ComponentChildren, createContext } from "preact";
import { useContext } from "preact/hooks";
import type { ResponseBody } from "../../contract/client.ts";
import type { Api } from "./api.ts";
import type { Configuration } from "./configuration.ts";
import type { PublishingList } from "./publish/publishing.ts";

export type Account = ResponseBody<"createSession">;

/** A message about what has just happened, below every view. */
export interface Toast {
  readonly text: ComponentChildren;
  /** What the person can do about it, with the text of its button, and its text while that is under way. */
  readonly act?: { readonly label: string; readonly doing: string; run(): Promise<void> };
}

/** Values and functions that every view of a person who is signed in has. */
export interface Dashboard extends PublishingList {
  readonly api: Api;
  readonly configuration: Configuration;
  readonly account: Account;
  setAccount(account: Account): void;
  readonly toast: Toast | undefined;
  /** Shows a message until it is closed or another one comes; undefined closes it. */
  showToast(toast: Toast | undefined): void;
  /** Signs the person out, here and in the other tabs. May leave the page. */
  signOut(): Promise<void>;
  /** Shows that the account is deleted; a reload does not make a new one. */
  leave(): Promise<void>;
}

export const DashboardContext = createContext<Dashboard | undefined>(undefined);

export function useDashboard(): Dashboard {
  const dashboard = useContext(DashboardContext);
  if (dashboard === undefined) throw new Error("There is no dashboard around this view");
  return dashboard;
}
