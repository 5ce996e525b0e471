import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { ResponseBody } from "../../contract/client.ts";
import type { Api } from "./api.ts";
import type { Configuration } from "./configuration.ts";
import type { PublishingList } from "./publish/publishing.ts";

export type Account = ResponseBody<"createSession">;

/** Values and functions that every view of a person who is signed in has. */
export interface Dashboard extends PublishingList {
  readonly api: Api;
  readonly configuration: Configuration;
  readonly account: Account;
  setAccount(account: Account): void;
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
