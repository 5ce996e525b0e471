import { getStatistics } from "./statistics/contract/statistics.ts";

/** The routes of options, by their names. */
export const optionRoutes = { getStatistics };
