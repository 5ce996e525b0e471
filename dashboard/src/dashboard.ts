import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Api, ResponseBody } from "./api.ts";
import type { Configuration } from "./configuration.ts";

export type Account = ResponseBody<"createSession">;

/** What every view of a person who is signed in has. */
export interface Dashboard {
  readonly api: Api;
  readonly configuration: Configuration;
  readonly account: Account;
  setAccount(account: Account): void;
  signOut(): Promise<void>;
}

export const DashboardContext = createContext<Dashboard | undefined>(undefined);

export function useDashboard(): Dashboard {
  const dashboard = useContext(DashboardContext);
  if (dashboard === undefined) throw new Error("There is no dashboard around this view");
  return dashboard;
}
