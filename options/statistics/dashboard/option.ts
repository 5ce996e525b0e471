import type { DashboardOption } from "../../../dashboard/src/option.ts";

export const statistics: DashboardOption = { name: "statistics", tabs: { statistics: "Statistics" } };
