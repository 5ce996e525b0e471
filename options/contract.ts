import type { OptionRoute } from "../contract/api/route.ts";
import { getStatistics } from "./statistics/contract/statistics.ts";

/** The routes of options, by their names. */
export const optionRoutes = { getStatistics } as const satisfies Readonly<Record<string, OptionRoute>>;
