import { addOptionViews, type OptionViews } from "../dashboard/src/option.ts";
import { notices } from "../options/notices/dashboard/views.ts";
import { profiles } from "../options/profiles/dashboard/views.ts";
import { reports } from "../options/reports/dashboard/views.ts";
import { saves } from "../options/saves/dashboard/views.tsx";
import { statistics } from "../options/statistics/dashboard/views.ts";

export * from "../dashboard/src/views/lazy-views.ts";

/** The views of options, which are loaded later, with those of the core that few visits need. */
const views: readonly OptionViews[] = [
  // A line each.
  statistics,
  profiles,
  notices,
  reports,
  saves,
];

addOptionViews(views);
