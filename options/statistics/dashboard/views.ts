import type { OptionViews } from "../../../dashboard/src/option.ts";
import { RecentNumbers } from "./recent-numbers.tsx";
import { StatisticsTab } from "./statistics-tab.tsx";

export const statistics: OptionViews = { name: "statistics", Tab: StatisticsTab, Numbers: RecentNumbers };
