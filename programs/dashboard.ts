import { startDashboard } from "../dashboard/src/main.tsx";
import type { DashboardOption } from "../dashboard/src/option.ts";
import { profiles } from "../options/profiles/dashboard/option.ts";
import { statistics } from "../options/statistics/dashboard/option.ts";

/** The options in the dashboard. */
const options: readonly DashboardOption[] = [
  // A line each.
  statistics,
  profiles,
];

await startDashboard(options, () => import("./dashboard-views.ts"));
