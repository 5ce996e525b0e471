import type { DashboardOption } from "../dashboard/src/option.ts";
import { profiles } from "./profiles/dashboard/option.ts";
import { statistics } from "./statistics/dashboard/option.ts";

/** The options in the dashboard. */
export const options: readonly DashboardOption[] = [statistics, profiles];

/** Their tabs in a project, by the last part of their URLs. */
export const optionTabs = { ...statistics.tabs, ...profiles.tabs };
