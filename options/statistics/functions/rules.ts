import type { RulesOption } from "../../../functions/option.ts";
import { recentPlays } from "./traffic.ts";

export const statistics: RulesOption = { name: "statistics", recentPlays };
